import { posix } from 'node:path'

/** Addresses of pages by the paths of their documents, and of pictures by theirs. */
export type Places = { pages: ReadonlyMap<string, string>; pictures: ReadonlyMap<string, string> }

/** Where a link of a document leads: also to another site, or to a file of the repository that has no page. */
export type Link = { page: string; hash: string } | { picture: string } | { outside: string } | { file: string }

export function resolveLink(target: string, from: string, { pages, pictures }: Places): Link {
  if (/^[a-z]+:/.test(target)) return { outside: target }
  const [written = '', anchor] = target.split('#')
  const path = written ? posix.join(posix.dirname(from), decodeURI(written)).replace(/\/$/, '') : from
  const page = pages.get(path) ?? pages.get(`${path}/README.md`)
  if (page !== undefined) return { page, hash: anchor === undefined ? '' : `#${anchor}` }
  const picture = pictures.get(path)
  return picture === undefined ? { file: path } : { picture }
}

/** From page to page, so that the site lies below any path. */
export function relativeTo(from: string, to: string) {
  const way = posix.relative(posix.dirname(from || '.'), to)
  return to === '' ? `${way || '.'}/` : way
}

/** The same page as Markdown, which lies beside it. */
export const markdownOf = (address: string) => `${address || 'index'}.md`
