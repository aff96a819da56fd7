import type Token from 'markdown-it/lib/token.mjs'
import type { Page } from './pages.ts'

/** A reader's path: its name, what it has, and its pages in their order. */
export type Door = { name: string; anchor: string; pages: Page[] }

/** Where a reader stands: the door of a page, with the pages before and after it. */
export type Place = { door: Door; previous: Page | undefined; next: Page | undefined }

/**
 * The doors of the start page with what each lists, then what there is to look up, then the decisions. A page that is not listed is
 * among what there is to look up: none is lost.
 */
export function readDoors(pages: Page[], start: Token[]): Door[] {
  const { doors, below } = listed(start, new Map(pages.map((page) => [page.address, page])))
  const inDoors = new Set(doors.flatMap((door) => door.pages))
  const others = pages.filter((page) => page.address && !isDecision(page) && !inDoors.has(page))
  return [
    ...doors,
    { name: 'Look up', anchor: 'look-up', pages: [...new Set([...below, ...others])] },
    { name: 'Decisions', anchor: 'decisions', pages: decisionsOf(pages) },
  ]
}

/** Of the door that is its own, wherever else it is listed. */
export function placeOf(page: Page, doors: Door[]): Place | undefined {
  const door = doors.find((each) => owns(each, page))
  if (!door) return
  const own = door.pages.filter((each) => owns(door, each))
  const at = own.indexOf(page)
  return { door, previous: own[at - 1], next: own[at + 1] }
}

function owns({ anchor, pages }: Door, page: Page) {
  if (isDecision(page)) return anchor === 'decisions'
  if (page.path.startsWith('docs/reference/')) return anchor === 'look-up'
  return pages.includes(page)
}

const isDecision = ({ path }: Page) => path.startsWith('docs/decisions/')

/** Their index first. */
const decisionsOf = (pages: Page[]) =>
  pages.filter(isDecision).sort((a, b) => Number(b.address === 'decisions') - Number(a.address === 'decisions'))

/** Links in the lists below each heading; and those of the paragraphs after a list, which belong to no reader. */
function listed(tokens: Token[], pages: Map<string, Page>) {
  const doors: Door[] = []
  const below: Page[] = []
  for (const [place, token] of tokens.entries()) {
    if (token.type === 'heading_open' && token.tag === 'h2')
      doors.push({ name: nameOf(tokens[place + 1]?.content ?? ''), anchor: token.attrGet('id') ?? '', pages: [] })
    const found = doors.length > 0 && token.type === 'inline' ? linkedFrom(token, pages) : []
    const list = token.level > 1 ? doors.at(-1)?.pages : below
    for (const page of found) if (!list?.includes(page)) list?.push(page)
  }
  return { doors, below }
}

const linkedFrom = ({ children }: Token, pages: Map<string, Page>) =>
  (children ?? [])
    .map((child) => child.attrGet('href')?.replace(/#.*/, ''))
    .flatMap((address) => (address && pages.get(address)) || [])

/** `You operate a Signet` is the door to `Operate a Signet`. */
const nameOf = (heading: string) => heading.replace(/^You (.)/, (_, first: string) => first.toUpperCase())
