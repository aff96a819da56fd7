import { expect, test } from 'vitest'
import { type CsvProgress, csvParts, maxRows } from './csv-parts.ts'

/** Answers with pages of `size` rows, as many as there are, and keeps the addresses that were asked for. */
function service(pages: number, size: number, row = '1,"two\r\nlines ""quoted"""\r\n') {
  const asked: string[] = []
  const request = async (address: string) => {
    const page = asked.push(address)
    const link = page < pages ? { link: `<?after=p${page}&limit=1000>; rel="next"` } : undefined
    return new Response(`id,name\r\n${row.repeat(size)}`, link && { headers: link })
  }
  return { asked, request }
}

async function last(parts: AsyncGenerator<CsvProgress>) {
  let progress: CsvProgress | undefined
  for await (const each of parts) progress = each
  return progress
}

const never = new AbortController().signal

test('All pages are one table with one line of headings', async () => {
  const { asked, request } = service(3, 2)
  const query = { name: 'a b', status: undefined, limit: 25, offset: 50, after: 'x' }
  const progress = await last(csvParts({ path: '/groups', query }, request, never))
  expect(asked).toEqual(['/groups?name=a+b&limit=1000', '/groups?after=p1&limit=1000', '/groups?after=p2&limit=1000'])
  expect(progress).toMatchObject({ rows: 6, isCut: false })
  expect(progress?.parts.join('')).toBe(`id,name\r\n${'1,"two\r\nlines ""quoted"""\r\n'.repeat(6)}`)
})

test('It ends at its limit, and says so', async () => {
  const { asked, request } = service(50, 1_000)
  const progress = await last(csvParts({ path: '/persons' }, request, never))
  expect(progress).toMatchObject({ rows: maxRows, isCut: true })
  expect(asked.length).toBe(10)
})

test('Empty pages are gone through, but not for ever', async () => {
  const found = await last(csvParts({ path: '/persons' }, service(5, 0).request, never))
  expect(found).toMatchObject({ rows: 0, isCut: false })
  const { asked, request } = service(Number.POSITIVE_INFINITY, 0)
  expect(await last(csvParts({ path: '/persons' }, request, never))).toMatchObject({ rows: 0, isCut: true })
  expect(asked.length).toBe(200)
})

test('Once it is stopped nothing is asked any more', async () => {
  const stopping = new AbortController()
  const { asked, request } = service(5, 1)
  for await (const _ of csvParts({ path: '/persons' }, request, stopping.signal)) stopping.abort()
  expect(asked.length).toBe(1)
})
