/** What stands below the heading of each page. */
export const generatedFrom = (sources: string) =>
  `<!-- Written by \`npm run generate -- reference\` from ${sources}. -->`

/** Text of a source as Markdown: what stands outside code is no HTML, and pages of `docs/` are links. */
export const linked = (text: string) =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : plain(part)))
    .join('')

const plain = (text: string) =>
  text
    .replaceAll('<', '&lt;')
    .replaceAll(/docs\/([\w/-]+)\.md/g, (path, page) => `[${path}](../${page}.md)`)
