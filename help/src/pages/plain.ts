import { type Link, markdownOf, type Places, relativeTo, resolveLink } from './links.ts'
import type { Source } from './sources.ts'

/** Code, in which nothing is changed; then comments; then links and pictures. */
const parts = /^ *```.*?^ *```$|`[^`\n]+`|(<!--.*?-->\n?)|(!?\[(?:[^[\]]|\[[^\]]*\])*\])\(([^()\s]+)\)/gms

/** The page as Markdown, with links that lead to other pages as Markdown: for programs that read, and for whoever copies a page. */
export const plainText = ({ path, address, text }: Source, places: Places) =>
  text.replace(parts, (whole: string, comment?: string, shown?: string, target?: string) => {
    if (comment) return ''
    return shown && target ? plainLink(shown, resolveLink(target, path, places), address) : whole
  })

function plainLink(shown: string, link: Link, from: string) {
  if ('file' in link) return `${shown.slice(1, -1)}, \`${link.file}\``
  if ('outside' in link) return `${shown}(${link.outside})`
  if ('picture' in link) return `${shown}(${relativeTo(from, link.picture)})`
  return `${shown}(${relativeTo(from, markdownOf(link.page))}${link.hash})`
}
