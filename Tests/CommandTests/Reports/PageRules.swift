/// The rules of a checker of accessibility for a page. Each rule lists what breaks it.
enum PageRules {
  struct Rule: Sendable {
    let name: String
    /// An expression of the page's script.
    let finds: String
  }

  /// Relative luminance and contrast as WCAG 2.2 defines them.
  private static let contrast = """
    const light = (c) => { const [r, g, b] = c.map((v) =>
      (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
      return .2126 * r + .7152 * g + .0722 * b; };
    const contrast = (a, b) => (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
    """

  static let all = [
    Rule(
      name: "one h1",
      finds: "document.querySelectorAll('h1').length === 1 ? [] : ['h1']"),
    Rule(
      name: "a language, a title, a main part, a way past the head",
      finds: """
        [document.documentElement.lang === 'en', document.title, document.querySelector('main'),
         document.querySelector('a.skip')].flatMap((is, i) => is ? [] : [i])
        """),
    Rule(
      name: "headings without a step left out",
      finds: """
        [...document.querySelectorAll('h1, h2, h3, h4')].map((h) => Number(h.localName[1]))
        .filter((level, i, all) => i && level > all[i - 1] + 1)
        """),
    Rule(
      name: "every identifier once",
      finds: """
        [...document.querySelectorAll('[id]')].map((e) => e.id)
        .filter((id, i, all) => all.indexOf(id) !== i)
        """),
    Rule(
      name: "every field has a label",
      finds: """
        [...document.querySelectorAll('input, select')].filter((f) => !f.labels.length)
        .map((f) => f.name)
        """),
    Rule(
      name: "every link and button has a name",
      finds: """
        [...document.querySelectorAll('a, button')].filter((e) => !(e.textContent.trim()
        || e.getAttribute('aria-label') || e.querySelector('title') || e.hidden))
        .map((e) => e.outerHTML)
        """),
    Rule(
      name: "every link leads somewhere",
      finds: """
        [...document.querySelectorAll('a')].map((a) => a.getAttribute('href'))
        .filter((h) => !h.includes('=') && !document.getElementById(h.slice(1)))
        """),
    Rule(
      name: "heads of tables have a text and a scope",
      finds: """
        [...document.querySelectorAll('th')].filter((h) => !h.scope).map((h) => h.outerHTML)
        """),
    Rule(
      name: "pictures have a name, and are no image where links are in them",
      finds: """
        [...document.querySelectorAll('svg')].filter((s) => !s.getAttribute('aria-label')
        || s.querySelector('a') && s.getAttribute('role') === 'img').map((s) => s.outerHTML)
        """),
    Rule(
      name: "no order of its own for the tabulator",
      finds: "[...document.querySelectorAll('[tabindex]')].filter((e) => e.tabIndex > 0)"
        + ".map((e) => e.outerHTML)"),
    Rule(
      name: "lists hold nothing but their parts",
      finds: """
        [...document.querySelectorAll('dl, ol, ul')].flatMap((list) => [...list.childNodes])
        .filter((n) => n.nodeType === 3 ? n.data.trim()
          : !['DT', 'DD', 'LI'].includes(n.nodeName)).map((n) => n.textContent)
        """),
    Rule(
      name: "what scrolls can be reached by keyboard",
      finds: """
        [...document.querySelectorAll('.scroll')].filter((e) => e.scrollWidth > e.clientWidth
        && e.tabIndex < 0 && !e.querySelector('a, button')).map((e) => e.outerHTML.slice(0, 80))
        """),
    Rule(
      name: "text stands out 4.5 to 1",
      finds: """
        (() => { \(contrast)
        const behind = (e) => { for (; e; e = e.parentElement) {
          const c = numbers(getComputedStyle(e).backgroundColor); if (c[3] !== 0) return c.slice(0, 3);
        } return [255, 255, 255]; };
        const bad = new Set();
        for (const e of document.querySelectorAll('body *')) {
          if (e.closest('svg, table.strip, script, option') || !e.getClientRects().length) continue;
          if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
          const ink = numbers(getComputedStyle(e).color).slice(0, 3);
          const ratio = contrast(light(ink), light(behind(e)));
          if (ratio < 4.5) bad.add(e.localName + '.' + e.className + ' ' + ratio.toFixed(2));
        } return [...bad]; })()
        """),
    Rule(
      name: "numbers in the strip stand out from their cells",
      finds: """
        (() => { \(contrast)
        const hex = (name) => getComputedStyle(document.documentElement).getPropertyValue(name)
          .trim().match(/\\w\\w/g).map((p) => parseInt(p, 16));
        const bad = new Set(), ink = light(hex('--ink')), well = hex('--well');
        for (const td of document.querySelectorAll('table.strip td[class]:not(.sum)')) {
          const before = getComputedStyle(td, '::before'), part = Number(before.opacity);
          const fill = numbers(before.backgroundColor);
          const cell = light(well.map((v, i) => v * (1 - part) + fill[i] * part));
          const ratio = contrast(ink, cell);
          if (ratio < 4.5) bad.add(td.className + ' ' + ratio.toFixed(2));
        } return [...bad]; })()
        """),
  ]
}
