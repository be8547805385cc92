"""Checks of a page in the browser: contrast, width, font size, pictures."""

# Ratio of luminances of every piece of text to what is behind it, with the size that WCAG asks more or less of.
CONTRASTS = r"""
() => {
  const parse = text => {
    const parts = (text.match(/[\d.]+/g) || []).map(Number);
    return {rgb: parts.slice(0, 3), alpha: parts.length > 3 ? parts[3] : 1};
  };
  const luminance = rgb => {
    const [r, g, b] = rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    for (let node = element; node; node = node.parentElement) {
      const colour = parse(getComputedStyle(node).backgroundColor);
      if (colour.alpha === 1) return colour.rgb;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim(), element = walker.currentNode.parentElement;
    if (!text || element.closest("title, style, defs")) continue;
    const style = getComputedStyle(element), inSvg = element instanceof SVGElement;
    const colour = parse(inSvg ? style.fill : style.color);
    const [a, b] = [luminance(colour.rgb), luminance(behind(element))];
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    found.push({text, ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), needed: large ? 3 : 4.5});
  }
  return found;
}
"""

# Text that reaches over the edge of the window, unless it stands in a box that scrolls by itself.
OVERFLOWS = r"""
() => {
  const width = document.documentElement.clientWidth, found = [];
  if (document.documentElement.scrollWidth > width) found.push("the page itself");
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim()) continue;
    if (element.closest("title, style, defs, .scroller, .formula, .equations")) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    for (const box of range.getClientRects())
      if (box.right > width + 1 || box.left < -1) found.push(walker.currentNode.textContent.trim());
  }
  return found;
}
"""

# Pictures inside pictures: every one has its bytes in the page and can be decoded.
IMAGES = r"""
async () => {
  const link_of = image => image.getAttribute("href") || image.getAttribute("xlink:href");
  const links = [...document.querySelectorAll("image")].map(link_of);
  links.push(...[...document.querySelectorAll("img")].map(image => image.src));
  const broken = [];
  for (const link of links) {
    const image = new Image();
    image.src = link;
    try { await image.decode(); } catch { broken.push(link.slice(0, 60)); }
    if (!link.startsWith("data:")) broken.push(link);
  }
  return broken;
}
"""

# Letters of pictures that are cut off or drawn smaller than this many pixels.
SMALL_LETTERS = r"""
() => {
  const width = document.documentElement.clientWidth, least = 8.5, found = [];
  for (const text of document.querySelectorAll("svg text")) {
    const svg = text.closest("svg"), box = text.getBoundingClientRect(), whole = svg.getBoundingClientRect();
    if (!box.width) continue;
    const over = box.right > whole.right + 1 || box.left < whole.left - 1;
    const cut = over && getComputedStyle(svg).overflow !== "visible";
    const scale = svg.viewBox.baseVal.width ? whole.width / svg.viewBox.baseVal.width : 1;
    const size = parseFloat(getComputedStyle(text).fontSize) * scale;
    if (cut || box.right > width + 1 || box.left < -1 || size < least) found.push(text.textContent);
  }
  return found;
}
"""

# What WCAG AA asks beside the contrast of text: names of controls and pictures, order of headings, one of each id,
# lines that stand out three to one, and a focus that can be seen.
ACCESS = r"""
() => {
  const found = [], shown = node => node.getClientRects().length > 0;
  const named = node => Boolean((node.getAttribute("aria-label") || node.textContent).trim() ||
    (node.labels && [...node.labels].some(label => label.textContent.trim())));
  for (const node of document.querySelectorAll("button, select, input, a, svg[role], [tabindex]"))
    if (shown(node) && !named(node)) found.push(`no name: ${node.outerHTML.slice(0, 80)}`);
  const levels = [...document.querySelectorAll("h1, h2, h3, h4")].filter(shown).map(node => Number(node.tagName[1]));
  if (levels.filter(level => level === 1).length !== 1) found.push("not one first heading");
  levels.forEach((level, k) => { if (k && level > levels[k - 1] + 1) found.push(`heading ${k} skips a level`); });
  const ids = [...document.querySelectorAll("[id]")].map(node => node.id);
  if (new Set(ids).size !== ids.length) found.push(`ids used twice: ${ids.filter((id, k) => ids.indexOf(id) !== k)}`);
  const parse = text => (text.match(/[\d.]+/g) || []).map(Number);
  const light = rgb => {
    const [r, g, b] = rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = parse(getComputedStyle(document.body).backgroundColor);
  const lines = ".recorded, .moved, .normal, .limit, .arrows, .before, .axis, .mark, .shape, .interval, .noise";
  for (const line of document.querySelectorAll(lines)) {
    const style = getComputedStyle(line), [r, g, b] = parse(style.stroke), opacity = Number(style.opacity);
    const mixed = [r, g, b].map((part, k) => opacity * part + (1 - opacity) * paper[k]);
    const [one, other] = [light(mixed), light(paper)].sort((a, b) => b - a), ratio = (one + 0.05) / (other + 0.05);
    if (!(ratio >= 3)) found.push(`${line.getAttribute("class")}: contrast ${ratio.toFixed(2)}`);
  }
  for (const node of document.querySelectorAll("button, select, input, .direction")) {
    if (!shown(node)) continue;
    node.focus({ focusVisible: true, preventScroll: true });
    const style = getComputedStyle(node), unseen = style.outlineStyle === "none" || !parseFloat(style.outlineWidth);
    if (unseen) found.push(`no focus: ${node.outerHTML.slice(0, 60)}`);
  }
  document.activeElement.blur();
  return [...new Set(found)];
}
"""
