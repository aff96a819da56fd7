import type MarkdownIt from 'markdown-it'
import type Token from 'markdown-it/lib/token.mjs'
import { textOf } from './markdown.ts'
import type { Source } from './sources.ts'

type Heading = { level: number; anchor: string; text: string }

/** What search leads to: a heading with what stands below it, or a row of a table that begins with a name. */
type Section = { anchor: string; heading: string; text: string }

export type Page = Source & { title: string; summary: string; headings: Heading[]; sections: Section[] }

export function readPage(source: Source, markdown: MarkdownIt): Page {
  const tokens = markdown.parse(source.text, { document: source })
  const [title, ...headings] = headingsOf(tokens)
  if (title?.level !== 1) throw new Error(`${source.path}: a page begins with its title`)
  return {
    ...source,
    title: title.text,
    summary: summaryOf(tokens),
    headings,
    sections: sectionsOf(tokens),
  }
}

const headingsOf = (tokens: Token[]): Heading[] =>
  tokens.flatMap((token, place) =>
    token.type === 'heading_open'
      ? [{ level: Number(token.tag.slice(1)), anchor: token.attrGet('id') ?? '', text: textOf(tokens[place + 1]) }]
      : [],
  )

/** The first sentence below the title. */
function summaryOf(tokens: Token[]) {
  const place = tokens.findIndex(({ type }) => type === 'paragraph_open')
  const text = textOf(tokens[place + 1]).replace(/\s+/g, ' ')
  return /^.*?[.:!?](?=\s|$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}

function sectionsOf(tokens: Token[]): Section[] {
  const sections: Section[] = []
  let ofHeading: Section | undefined
  let current: Section | undefined
  for (const [place, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      current = ofHeading = { anchor: token.attrGet('id') ?? '', heading: textOf(tokens[place + 1]), text: '' }
      sections.push(current)
    } else if (token.type === 'tr_open' && token.meta) {
      current = { anchor: token.meta.anchor, heading: token.meta.name, text: '' }
      sections.push(current)
    } else if (token.type === 'tr_close') current = ofHeading
    else if (current && tokens[place - 1]?.type !== 'heading_open') current.text += ` ${shownBy(token)}`
  }
  return sections.map((section) => ({ ...section, text: withoutName(section) }))
}

/** The name that a row begins with is its heading. */
function withoutName({ heading, text }: Section) {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.startsWith(`${heading} `) ? line.slice(heading.length + 1) : line
}

const shownBy = (token: Token) =>
  token.type === 'inline' ? textOf(token) : /^(fence|code_block)$/.test(token.type) ? token.content : ''
