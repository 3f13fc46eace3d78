// Watches a report being made and loads the page anew once its state changes. Makes no words and no figures.

const main = document.querySelector("[data-report]");
const at = (name) => main.querySelector(`[data-${name}]`);
const EVERY_MS = 1000;

async function look() {
  try {
    const answer = await fetch(main.dataset.report, { headers: { Accept: "application/json" }, cache: "no-store" });
    if (answer.redirected || answer.status === 401 || answer.status === 403) return location.reload();
    if (answer.ok) {
      const report = await answer.json();
      if (report.state !== main.dataset.state) return location.reload();
      const expected = Math.max(report.pages_expected, report.pages_done, 1);
      at("pages").max = expected;
      at("pages").value = report.pages_done;
      at("done").textContent = report.pages_done;
      at("expected").textContent = expected;
    }
  } catch {
    // Without a connection the page keeps what it showed and asks again.
  }
  setTimeout(look, EVERY_MS);
}

look();
