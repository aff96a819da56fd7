/** What stands below the heading of each page. */
export const generatedFrom = (sources: string) =>
  `<!-- Written by \`npm run generate -- reference\` from ${sources}. -->`

/** Text of a source as Markdown: what stands outside code is no HTML, and pages of `docs/` are links. */
export const linked = (text: string) =>
  outsideCode(text, (part) =>
    part.replaceAll('<', '&lt;').replaceAll(/docs\/([\w/-]+)\.md/g, (path, page) => `[${path}](../${page}.md)`),
  )

export const outsideCode = (text: string, change: (part: string) => string) =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : change(part)))
    .join('')
