// A form that was refused stands again as it was filled in, open, with the reason in it; its PINs are asked for anew.

const typed = JSON.parse(document.getElementById("typed").textContent);
const button = (form, name, value) => form.querySelector(`button[name="${CSS.escape(name)}"][value="${CSS.escape(value)}"]`);
const handedOut = ["csrfmiddlewaretoken", "id"];

/** Whether a form is the one that was sent: it asks for all that was said, and says what it was handed out with. */
function isIt(form) {
  const hidden = [...form.querySelectorAll("input[type=hidden]")].filter((each) => !handedOut.includes(each.name));
  if (!hidden.every((each) => typed[each.name]?.includes(each.value))) return false;
  return Object.entries(typed).every(([name, values]) => handedOut.includes(name) || form.querySelector(`input[name="${CSS.escape(name)}"], select[name="${CSS.escape(name)}"], textarea[name="${CSS.escape(name)}"]`) || button(form, name, values[0]));
}

function giveBack(form) {
  for (const [name, values] of Object.entries(typed)) {
    const fields = [...form.querySelectorAll(`[name="${CSS.escape(name)}"]`)].filter((each) => each.type !== "hidden" && each.tagName !== "BUTTON");
    fields.forEach((field, index) => {
      if (field.type === "checkbox") field.checked = values.includes(field.value);
      else if (values[index] !== undefined) field.value = values[index];
    });
  }
  for (let each = form.closest("details"); each; each = each.parentElement.closest("details")) each.open = true;
  const reason = document.querySelector("main [role=alert]");
  if (reason) form.prepend(reason);
  (form.querySelector("input[type=password]") ?? form).scrollIntoView({ block: "center" });
  form.querySelector("input[type=password]")?.focus();
}

const form = [...document.querySelectorAll("main form[method=post]")].find(isIt);
if (form) giveBack(form);
