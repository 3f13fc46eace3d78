"""A dealer's hands at the console: plays the lines of a table log by keyboard or by touch. It asserts nothing.

How far apart two keys or two taps are tells a hand from a scanner and a slip from a deed, so each says its own time:
what the machine does meanwhile changes nothing.
"""

import json
import re
import time
import urllib.request
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, Route

# Every deed waits for the server's tick: it stands only while the outbox is empty.
SETTLED = """() => document.getElementById("link").textContent.includes("✓")"""
TAKES_MORE = """() => !document.getElementById("grid").classList.contains("lock")
    || document.querySelector("#conf .btn.go") !== null"""
# All at once, as no wire can send it: between two keys no timer has its turn, and what is typed comes into the field.
SCAN = """([texts, began]) => {
    const code = (key) => /\\d/.test(key) ? `Digit${key}` : /[A-Z]/.test(key) ? `Key${key}` : "";
    let at = began - performance.timeOrigin;
    const press = (key, code) => {
        const pressed = new KeyboardEvent("keydown", {key, code, bubbles: true, cancelable: true});
        Object.defineProperty(pressed, "timeStamp", {value: at += 5});
        const field = document.activeElement ?? document.body;
        const goesOn = field.dispatchEvent(pressed);
        if (goesOn && field.setRangeText && key.length === 1) field.value += key;
        return goesOn;
    };
    return texts.every((text) => {
        for (const key of text) press(key, code(key));
        return press("Enter", "Enter") === false;
    });
}"""
# Keys that a busy tablet hears late and all at once, each so many milliseconds after the one before.
BURST = """([keys, began]) => {
    let at = began - performance.timeOrigin;
    for (const [code, later, repeat] of keys) {
        const key = new KeyboardEvent("keydown", {code, repeat: Boolean(repeat), bubbles: true});
        Object.defineProperty(key, "timeStamp", {value: at += later});
        document.dispatchEvent(key);
    }
}"""
# The table as it is known in the browser's store, at the sequence that the server has now.
KNOWN = """async (code) => {
    const {token} = JSON.parse(localStorage.getItem(`device:${code}`));
    const headers = {Authorization: `Device ${token}`};
    const {sequence} = await (await fetch(`${document.body.dataset.api}tables/${code}/state`, {headers})).json();
    const asked = indexedDB.open("console");
    const db = await new Promise((done) => { asked.onsuccess = () => done(asked.result); });
    for (const began = Date.now(); Date.now() - began < 30_000; await new Promise((done) => setTimeout(done, 20))) {
        const known = await new Promise((done) => {
            db.transaction("known").objectStore("known").get(code).onsuccess = ({target}) => done(target.result);
        });
        if (known?.body.sequence === sequence && known.base.sequence === sequence) return db.close();
    }
    throw new Error("the table is not known");
}"""
KEYS = {
    "Enter": ("Enter", "\r", 13),
    "Space": (" ", " ", 32),
    "Escape": ("Escape", "", 27),
    "Backspace": ("Backspace", "", 8),
    "Minus": ("-", "-", 189),
    "Period": (".", ".", 190),
    **{f"F{number}": (f"F{number}", "", 111 + number) for number in range(1, 13)},
}
BETWEEN_KEYS = 0.06  # seconds; what comes faster than 35 ms is a scanner, and Enter faster than 50 ms is its end
BETWEEN_TAPS = 0.08
BETWEEN_DEEDS = 0.4  # what comes faster than 300 ms is a slip
RANK_KEYS = {"T": "Digit0", **{letter: f"Key{letter}" for letter in "JQKA"}, **{d: f"Digit{d}" for d in "23456789"}}


class Desk:
    """The console of one table in one browser page."""

    def __init__(self, page: Page, url: str, table: str) -> None:
        self.page = page
        self.url = url
        self.table = table
        self.bets: dict[str, dict[str, Any]] = {}
        self.away = False  # cut off from the server: nothing is waited for
        self.hand = page.context.new_cdp_session(page)
        self.moment = 0.0  # of the last deed, by the hand's own clock: never behind the machine's

    def open(self, token: str, staff: str, pin: str, *, language: str = "en") -> "Desk":
        """Sit down at a tablet that has its token and where the sign-on has been done already, through the API."""
        asked = urllib.request.Request(
            f"{self.url}/api/tables/{self.table}/signons",
            json.dumps({"staff": staff, "pin": pin}).encode(),
            {"Authorization": f"Device {token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(asked) as answer:
            signon = json.load(answer)
        kept = {f"device:{self.table}": {"token": token}, f"signon:{self.table}": signon, "language": language}
        self.page.goto(f"{self.url}/words.json")  # any address of the service: what a browser keeps is kept by origin
        for name, value in kept.items():
            self.page.evaluate("(it) => localStorage.setItem(it[0], it[1])", [name, json.dumps(value)])
        self.page.goto(f"{self.url}/console/{self.table}/")
        self.page.locator("[data-rank=Q]").wait_for()
        return self

    def open_by_hand(self, token: str, staff: str, pin: str, *, language: str = "en") -> "Desk":
        """Give the tablet its token, choose the language, sign on by PIN, all on the screen."""
        self.page.goto(f"{self.url}/console/{self.table}/")
        self.page.locator("[name=token]").fill(token)
        self.page.locator("[data-form=token] .btn").click()
        self.page.locator("[name=pin]").wait_for()
        if self.page.locator("html").get_attribute("lang") != language:
            self.page.locator("[data-deed=language]").click()
        self.sign_on(staff, pin)
        return self

    def sign_on(self, staff: str, pin: str) -> None:
        self.page.locator("select[name=staff]").select_option(staff)
        for digit in pin:  # the sixth sends
            self.page.locator(f"[data-deed=pin][data-digit='{digit}']").click()
        self.page.locator("#relief:visible").wait_for()
        self.page.wait_for_function("() => !document.querySelector('[data-form=signon]')")

    def settled(self) -> "Desk":
        if not self.away:
            self.page.wait_for_function(SETTLED)
        return self

    def cut_off(self) -> Callable[[], None]:
        """Cut the console off from the service and wait until it says so; what is returned joins it again."""
        cut = True

        def break_link(route: Route) -> None:
            route.abort() if cut else route.continue_()

        def join() -> None:
            nonlocal cut
            cut = self.away = False

        self.page.route("**/api/**", break_link)
        self.page.wait_for_function("() => document.getElementById('link').classList.contains('off')")
        self.away = True
        return join

    def known(self) -> "Desk":
        """Wait until what is known of the table is in the browser's store."""
        self.page.evaluate(KNOWN, self.table)
        return self

    def _later(self, seconds: float) -> float:
        self.moment = max(time.time(), self.moment + seconds)
        return self.moment

    def pause(self) -> "Desk":
        """Let the next deed be no slip of the one before, and of somebody who has read what is there now."""
        self.moment = max(time.time(), self.moment) + BETWEEN_DEEDS
        return self

    def press(self, *codes: str) -> "Desk":
        for code in codes:
            key, text, number = KEYS.get(code) or (code[-1].lower(), code[-1].lower(), ord(code[-1]))
            told = {"code": code, "key": key, "windowsVirtualKeyCode": number, "timestamp": self._later(BETWEEN_KEYS)}
            self.hand.send("Input.dispatchKeyEvent", {"type": "keyDown", **told, **({"text": text} if text else {})})
            self.hand.send("Input.dispatchKeyEvent", {"type": "keyUp", **told})
        return self

    def scan(self, *texts: str) -> bool:
        """Let a scanner type these, each ended with Enter, all at once; say whether every Enter was swallowed."""
        began = self.pause().moment
        self.moment += 0.005 * sum(len(text) + 1 for text in texts)
        return bool(self.page.evaluate(SCAN, [list(texts), 1000 * began]))

    def burst(self, *keys: tuple[str, int] | tuple[str, int, bool]) -> "Desk":
        """Let the tablet hear these keys in one moment, each so many milliseconds after the one before (held: True)."""
        began = self.pause().moment
        self.moment += sum(key[1] for key in keys) / 1000
        self.page.evaluate(BURST, [keys, 1000 * began])
        return self

    def tap(self, selector: str) -> "Desk":
        time.sleep(max(0, self.moment - time.time()))  # a tap has the machine's own time, which is to be the later one
        self.page.locator(selector).click()
        return self

    def tap_twice(self, selector: str) -> "Desk":
        """Let a finger slip: two taps at one spot, whatever the first one has made of it."""
        found = self.page.locator(selector).first
        found.click(trial=True)
        box = found.bounding_box()
        assert box is not None
        spot = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2, "button": "left", "clickCount": 1}
        first = self.pause().moment
        self.moment += BETWEEN_TAPS
        for at in (first, self.moment):
            told = {**spot, "timestamp": at}
            for type in ("mousePressed", "mouseReleased"):
                self.hand.send("Input.dispatchMouseEvent", {"type": type, **told})
        return self

    def headline(self) -> str:
        """What the screen says to do now, and the sum under the list: `↓ TAKE 1500`."""
        words = self.page.locator("#act h2 b").inner_text()
        sums = self.page.locator("#act .total .sum")
        return f"{words} {digits(sums.inner_text())}".strip() if sums.count() else words

    def play(self, line: dict[str, Any], hand: str, *, ahead: bool = False) -> str:
        """Do what one line of a log says, by `keys` or by `touch`, and read the headline.

        Its record is waited for, unless the hands are `ahead`: then only until the console takes what follows.
        """
        deed: Callable[[dict[str, Any]], None] = getattr(self, f"_{line['type']}_by_{hand}")
        if "bet" in line and line["type"] in ("bet", "paroli"):
            self.bets[line["bet"]] = {**self.bets.get(line.get("of", ""), {}), **line}
        deed(line)
        if ahead:
            self.page.wait_for_function(TAKES_MORE)
        else:
            self.settled()
        return self.headline()

    def confirm(self, hand: str) -> None:
        """Confirm as shown, if the console asks for it."""
        main = self.page.locator("#conf [data-deed=confirm]")
        if main.count():
            self.press("Enter") if hand == "keys" else self.tap("#conf [data-deed=confirm]")

    # -- by keyboard, with the keys by their place

    def _deal_by_keys(self, line: dict[str, Any]) -> None:
        self.press("Enter")

    def _bet_by_keys(self, line: dict[str, Any]) -> None:
        self.press(seat_key(line["seat"]))
        if "rank" in line:
            self.press(RANK_KEYS[line["rank"]])
        elif "card" in line:
            self.press(RANK_KEYS[line["card"][0]], f"Key{line['card'][1]}")
        elif "suit" in line:
            self.press("Period", f"Key{line['suit']}")
        else:
            self.press("KeyM")
        self.press(*(f"Digit{digit}" for digit in line["amount"]), "Enter")

    def _card_by_keys(self, line: dict[str, Any]) -> None:
        self.press(RANK_KEYS[line["card"][0]], f"Key{line['card'][1]}")

    _reveal_by_keys = _card_by_keys

    def _withdraw_by_keys(self, line: dict[str, Any]) -> None:
        bet = self.bets[line["bet"]]
        self.press(seat_key(bet["seat"]), RANK_KEYS[bet["rank"]], "Minus", "Enter")

    def _paroli_by_keys(self, line: dict[str, Any]) -> None:
        won = self.bets[line["of"]]
        self.press(seat_key(won["seat"]), RANK_KEYS[won.get("rank") or won["card"][0]], "KeyP", "Enter")

    def _pocket_by_keys(self, line: dict[str, Any]) -> None:
        self.pause().press("Enter")

    def _cut_by_keys(self, line: dict[str, Any]) -> None:
        self.tap("[data-deed=cut]")

    def _end_by_keys(self, line: dict[str, Any]) -> None:
        self.tap("[data-deed=end]")

    # -- by touch

    def _deal_by_touch(self, line: dict[str, Any]) -> None:
        self.tap("[data-deed=new_deal]")

    def _bet_by_touch(self, line: dict[str, Any]) -> None:
        seat = self.page.locator(f"[data-deed=seat][data-seat='{line['seat']}']")
        if seat.get_attribute("aria-pressed") != "true":
            seat.click()
        if "rank" in line or "card" in line:
            self.tap(f"[data-rank='{line.get('rank') or line['card'][0]}']")
        if "card" in line:
            self.tap(f"[data-deed=suit][data-suit='{line['card'][1]}']")
        if "suit" in line:
            self.tap(f"[data-deed=suit][data-suit='{line['suit']}']")
        if not {"rank", "card", "suit"} & line.keys():
            self.tap("[data-deed=sealed]")
        missing = int(line["amount"])
        for chip in reversed(self.page.locator("[data-deed=chip]").all()):
            times, missing = divmod(missing, int(digits(chip.inner_text())))
            for _ in range(times):
                chip.click()
        self.tap("#conf [data-deed=place]")
        self.tap(f"[data-deed=seat][data-seat='{line['seat']}']")

    def _card_by_touch(self, line: dict[str, Any]) -> None:
        self.tap(f"[data-deed=card][data-card='{line['card']}']")

    _reveal_by_touch = _card_by_touch

    def _withdraw_by_touch(self, line: dict[str, Any]) -> None:
        seat = f"[data-deed=seat][data-seat='{self.bets[line['bet']]['seat']}']"
        self.tap(seat).tap("#act [data-deed=withdraw]").settled().tap(seat)

    def _paroli_by_touch(self, line: dict[str, Any]) -> None:
        self.tap(f"#act [data-deed=paroli][data-seat='{self.bets[line['of']]['seat']}']")

    def _pocket_by_touch(self, line: dict[str, Any]) -> None:
        self.pause().tap("#conf [data-deed=pocket]")

    _cut_by_touch = _cut_by_keys
    _end_by_touch = _end_by_keys


def digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def seat_key(seat: int) -> str:
    return f"Digit{seat % 10}"
