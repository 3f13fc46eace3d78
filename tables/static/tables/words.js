// The words of a screen in both languages, so that switching changes nothing but the words.

let catalogue = { en: {}, ru: {} };
let language = "en";
const plurals = { en: new Intl.PluralRules("en"), ru: new Intl.PluralRules("ru") };

/** Load the words; `wanted` is the language to begin with. */
export async function load(url, wanted) {
  catalogue = await (await fetch(url)).json();
  speak(wanted);
}

export function speak(wanted) {
  language = wanted === "ru" ? "ru" : "en";
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-word]")) element.textContent = say(element.dataset.word);
  for (const element of document.querySelectorAll("[data-word-label]")) element.setAttribute("aria-label", say(element.dataset.wordLabel));
}

export const spoken = () => language;
export const has = (key) => key in catalogue[language];

/** The sentence for `key` with its {places} filled in. A missing word is a bug and shows as its key. */
export function say(key, places = {}) {
  const sentence = catalogue[language][key] ?? key;
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => (name in places ? String(places[name]) : whole));
}

/** As say(), by number: `seats` has the forms seats.one, seats.few, seats.many (English: one, other). */
export function count(key, number) {
  const form = plurals[language].select(number);
  return say(has(`${key}.${form}`) ? `${key}.${form}` : `${key}.many`, { n: number });
}

/** A moment as hours and minutes (and seconds) of this device's clock. */
export function clock(moment, { seconds = false } = {}) {
  const date = new Date(moment);
  const two = (value) => String(value).padStart(2, "0");
  return two(date.getHours()) + ":" + two(date.getMinutes()) + (seconds ? ":" + two(date.getSeconds()) : "");
}
