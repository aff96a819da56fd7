/** More is for a program with a key: the service gives any list as a table. */
export const maxRows = 10_000
/** The most that the interface gives at once. */
const limit = 1_000
/** A search without an index gives short pages, also empty ones. */
const maxPages = 200

export type CsvList = {
  /** Of the list, such as `/organizations/deliveries`. */
  path: string
  /** Its filters. */
  query?: Readonly<Record<string, string | number | undefined>>
}

type Request = (address: string, signal: AbortSignal) => Promise<Response>

/** `isCut`: there are more rows, which are left out. */
export type CsvProgress = { parts: string[]; rows: number; isCut: boolean }

/** The whole list as one table, page by page, with one line of headings. */
export async function* csvParts(list: CsvList, request: Request, signal: AbortSignal): AsyncGenerator<CsvProgress> {
  const parts: string[] = []
  let [rows, query]: [number, string | undefined] = [0, firstQuery(list)]
  for (let page = 0; query !== undefined && page < maxPages && rows < maxRows && !signal.aborted; page++) {
    const reply = await request(`${list.path}?${query}`, signal)
    const table = await reply.text()
    parts.push(page === 0 ? table : withoutHeadings(table))
    rows += recordsIn(table) - 1
    query = nextQuery(reply.headers.get('link'))
    yield { parts, rows, isCut: query !== undefined }
  }
}

function firstQuery({ query = {} }: CsvList): string {
  const { limit: _, offset: __, after: ___, ...filters } = query
  const given = Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return String(new URLSearchParams([...given, ['limit', String(limit)]]))
}

const nextQuery = (link: string | null) => /^<\?([^>]*)>; rel="next"$/.exec(link ?? '')?.[1]

const quoted = /"(?:[^"]|"")*"/g

/** Lines of the table; a cell in quotes may have lines of its own. */
const recordsIn = (table: string) => table.replace(quoted, '').split('\r\n').length - 1

/** The names of columns have no lines in them. */
const withoutHeadings = (table: string) => table.slice(table.indexOf('\r\n') + 2)
