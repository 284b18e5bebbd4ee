//go:build browser

package document_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gobench/internal/report/document"
	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
)

// try uses the page as a reader does and writes what it finds into the page.
const try = `<script>
const found = [];
addEventListener("error", (event) => found.push("error: " + event.message));
addEventListener("load", () => {
  const mark = document.querySelector(".mark");
  mark.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, clientX: 50, clientY: 50 }));
  found.push("tip: " + (tip.hidden ? "hidden" : tip.textContent));
  document.body.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
  found.push("tip afterwards: " + (tip.hidden ? "hidden" : "there"));
  const svg = document.querySelector(".frame svg"), whole = svg.getAttribute("viewBox");
  document.querySelector("[data-zoom='1.4']").click();
  found.push("zoomed: " + (Number(svg.getAttribute("viewBox").split(" ")[2]) < Number(whole.split(" ")[2])));
  document.querySelector("[data-zoom='0']").click();
  found.push("whole again: " + svg.getAttribute("viewBox").split(" ").every((v, i) => Math.abs(v - whole.split(" ")[i]) < 1e-6));
  document.querySelector(".explore").click();
  const chart = document.querySelector(".chart"), curves = () => chart.querySelectorAll(".curve").length, shape = () => chart.querySelector(".curve").getAttribute("d");
  const all_ = curves(), logarithmic = shape(), inputs = () => [...chart.querySelectorAll("input")];
  found.push("explored: " + (!chart.hidden && document.querySelector(".frame").hidden && all_ > 1));
  inputs()[1].click();
  found.push("linear differs: " + (shape() !== logarithmic));
  inputs()[2].click();
  found.push("series left: " + (curves() < all_ && curves() > 0));
  chart.querySelector(".value").dispatchEvent(new PointerEvent("pointerover", { bubbles: true, clientX: 50, clientY: 50 }));
  found.push("value: " + tip.textContent);
  found.push("chart too wide: " + (chart.getBoundingClientRect().right > innerWidth + 1));
  const others = [...document.querySelectorAll(".explore")].slice(1);
  others.forEach((button) => button.click());
  const charts = [...document.querySelectorAll(".chart svg")], texts = [...document.querySelectorAll(".chart .value")].map((e) => e.dataset.text);
  found.push("charts without values: " + charts.filter((e) => !e.querySelector(".value") || e.outerHTML.includes("NaN")).length);
  found.push("launches: " + texts.some((text) => text.endsWith(", 3 launches")) + ", undefined: " + texts.some((text) => /undefined|nan/i.test(text)));
  found.push("without an interval: " + texts.some((text) => !text.includes(" to ")));
  others.forEach((button) => button.click());
  document.querySelector(".explore").click();
  found.push("drawing again: " + (chart.hidden && !document.querySelector(".frame").hidden));
  const table = [...document.querySelectorAll("table")].find((t) => t.tHead.textContent.includes("half_rtt"));
  const column = [...table.tHead.rows[0].cells].findIndex((c) => c.textContent.startsWith("half_rtt"));
  const values = () => [...table.tBodies[0].rows].map((r) => Number(r.cells[column].dataset.value));
  const sorted = (v, up) => v.every((x, i) => i === 0 || (up ? v[i - 1] <= x : v[i - 1] >= x));
  found.push("sorted before: " + sorted(values(), true));
  table.tHead.rows[0].cells[column].click();
  found.push("sorted: " + sorted(values(), true));
  table.tHead.rows[0].cells[column].click();
  found.push("sorted down: " + sorted(values(), false));
  const wide = [...document.querySelectorAll("main *")].filter((e) => !e.closest(".scroll, svg, pre") && e.getBoundingClientRect().right > innerWidth + 1);
  found.push("too wide: " + wide.length);
  const letters = [...document.querySelectorAll(".frame svg text")].map((t) => parseFloat(getComputedStyle(t).fontSize) * t.ownerSVGElement.getBoundingClientRect().width / t.ownerSVGElement.viewBox.baseVal.width);
  found.push("smallest letters: " + (Math.min(...letters) >= 9 ? "readable" : Math.min(...letters)));
  const cut = [...document.querySelectorAll(".frame svg text")].filter((t) => { const f = t.closest(".frame").getBoundingClientRect(), r = t.getBoundingClientRect(); return r.right > Math.max(f.right, t.ownerSVGElement.getBoundingClientRect().right + 9) || getComputedStyle(t.ownerSVGElement).overflow !== "visible"; });
  found.push("letters cut off: " + cut.length);
  found.push("picture begins within 800 px: " + (document.querySelector("figure.picture .frame").getBoundingClientRect().top + scrollY < 800));
  found.push("requests: " + performance.getEntriesByType("resource").length);
  const unseen = [...document.querySelectorAll("a, button, th[tabindex], summary")].filter((e) => { if (!e.checkVisibility()) return false; e.focus({ focusVisible: true }); return document.activeElement !== e || getComputedStyle(e).outlineStyle === "none"; });
  found.push("without a visible focus: " + unseen.length);
  found.push("headline cut off: " + (innerWidth >= 1000 && [...document.querySelectorAll(".beside .scroll")].some((e) => e.scrollWidth > e.clientWidth)));
  const covered = [...document.querySelectorAll("figure.picture")].filter((f) => f.querySelector(".tools").getBoundingClientRect().bottom > f.querySelector("svg").getBoundingClientRect().top + 1);
  found.push("covered by buttons: " + covered.length);
  const light = (color) => color.match(/[0-9.]+/g).slice(0, 3).reduce((sum, v) => sum + Number(v), 0) / 3;
  const body = getComputedStyle(document.body), dark = matchMedia("(prefers-color-scheme: dark)").matches;
  found.push("scheme: " + (dark ? "dark" : "light") + ", paper " + (light(body.backgroundColor) < 128 ? "dark" : "light") + ", ink " + (light(body.color) < 128 ? "dark" : "light"));
  found.push("figures: " + (getComputedStyle(svg).filter === "none" ? "light" : "dark"));
  const out = document.createElement("pre");
  out.id = "found";
  out.textContent = found.join("\n");
  document.body.append(out);
});
</script>`

// The page is opened from disk in Debian's Chromium, which make test installs.
func TestPageInABrowser(t *testing.T) {
	s := set(figuretest.PingPong(3))
	var b bytes.Buffer
	if err := document.Build(s, figure.All(s), document.Command{}).HTML(&b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(strings.Replace(b.String(), "</body>", try+"</body>", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"wide":   {[]string{"--window-size=1190,900"}, []string{"scheme: light, paper light, ink dark", "figures: light"}},
		"narrow": {[]string{"--window-size=400,900"}, []string{"scheme: light, paper light, ink dark"}},
		"dark":   {[]string{"--window-size=1000,900", "--blink-settings=preferredColorScheme=0"}, []string{"scheme: dark, paper dark, ink light", "figures: dark"}},
	} {
		t.Run(name, func(t *testing.T) { look(t, path, c.args, c.want) })
	}
}

// look opens the page and compares the findings of its script with the expected ones.
func look(t *testing.T, path string, args, more []string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	args = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + t.TempDir(), "--virtual-time-budget=5000", "--dump-dom"}, args...)
	dom, err := exec.CommandContext(ctx, "chromium", append(args, "file://"+path)...).Output()
	if err != nil {
		t.Fatalf("%v; scripts/install.sh chromium installs it", err)
	}
	_, found, ok := strings.Cut(string(dom), `<pre id="found">`)
	if !ok {
		t.Fatal("the page did not run its script to the end")
	}
	found, _, _ = strings.Cut(found, "</pre>")
	for _, want := range append([]string{
		"tip: smem, 0 B: 0.10", "tip afterwards: hidden", "zoomed: true", "whole again: true",
		"explored: true", "linear differs: true", "series left: true", "value: tcp, ", "charts without values: 0", "launches: true, undefined: false", "without an interval: true", "chart too wide: false", "drawing again: true",
		"sorted before: false", "sorted: true", "sorted down: true", "too wide: 0", "smallest letters: readable", "letters cut off: 0", "picture begins within 800 px: true", "requests: 0", "without a visible focus: 0", "headline cut off: false", "covered by buttons: 0",
	}, more...) {
		if !strings.Contains(found, want) {
			t.Errorf("not found in the browser: %q; found were\n%s", want, found)
		}
	}
	if strings.Contains(found, "error:") {
		t.Error(found)
	}
}
