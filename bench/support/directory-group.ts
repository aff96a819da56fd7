import { type Directory, groupSchema, patchOf, textOfScim } from './directory.ts'
import { type Exchange, openExchange } from './exchange.ts'
import { figureOf, milliseconds, show, table, verdict, whole } from './figures.ts'
import { orQuick } from './options.ts'
import type { Instruments } from './write-ahead-log.ts'

const times = orQuick(20, 3)
const fullTimes = orQuick(5, 2)
/** Of the members, in a replacement of all. */
const replaced = 10
const aims = { oneMs: 50, allMs: 2_000 }

type Asked = { name: string; times: number; aim: number; isWhole?: boolean; text(n: number): string }

/** A group of these users but some, who come and go. */
export async function measureGroup(directory: Directory, instruments: Instruments, ids: string[]): Promise<string[]> {
  const exchange = await openExchange(directory.port)
  const spare = ids.slice(0, times + fullTimes * 2 * replaced)
  const members = ids.slice(spare.length)
  const fields = { schemas: [groupSchema], displayName: 'Everybody', members: listOf(members) }
  const began = performance.now()
  const answer = await exchange.send(textOfScim(directory, 'POST /Groups', fields))
  const firstPushMs = performance.now() - began
  const group = /"id":"([^"]+)"/.exec(answer)?.[1] ?? ''
  const rows = [['', 'statements', 'whole request', 'target']]
  for (const asked of requestsFor(directory, group, members, spare)) {
    const { statements, request } = await measure(exchange, instruments, asked)
    const reached = asked.isWhole ? figureOf(request).median : statements
    const aim = `${asked.isWhole ? 'request' : 'statements'} under ${asked.aim} ms: ${verdict(reached < asked.aim)}`
    rows.push([asked.name, milliseconds(statements), show(figureOf(request), milliseconds), aim])
    console.log(rows.at(-1)?.join(' | '))
  }
  exchange.close()
  return [
    `**A group of ${whole(members.length)} members**`,
    table(rows),
    `Its first push took ${milliseconds(firstPushMs)}.`,
  ]
}

const listOf = (ids: string[]) => ids.map((value) => ({ value }))

function requestsFor(directory: Directory, group: string, members: string[], spare: string[]): Asked[] {
  const path = `/Groups/${group}`
  const patch = (...operations: object[]) => textOfScim(directory, `PATCH ${path}`, patchOf(...operations))
  const one = { times, aim: aims.oneMs }
  const all = { times: fullTimes, aim: aims.allMs, isWhole: true as const }
  const filterOf = (member: string | undefined) => encodeURIComponent(`id eq "${group}" and members eq "${member}"`)
  /** Ten of the members are others each time. */
  const others = (n: number) =>
    listOf([...members.slice(replaced), ...spare.slice(times + n * replaced, times + (n + 1) * replaced)])
  return [
    {
      ...one,
      name: 'add one',
      text: (n) => patch({ op: 'add', path: 'members', value: listOf(spare.slice(n, n + 1)) }),
    },
    { ...one, name: 'remove one', text: (n) => patch({ op: 'remove', path: `members[value eq "${spare[n]}"]` }) },
    {
      ...one,
      name: 'is one a member',
      text: (n) => textOfScim(directory, `GET /Groups?excludedAttributes=members&filter=${filterOf(members[n])}`),
    },
    { ...one, name: 'rename', text: (n) => patch({ op: 'replace', path: 'displayName', value: `Everybody ${n}` }) },
    {
      ...all,
      name: 'replace all by PATCH, 10 to 20 changes',
      text: (n) => patch({ op: 'replace', path: 'members', value: others(n) }),
    },
    {
      ...all,
      name: 'replace all by PUT, 20 changes',
      text: (n) => {
        const fields = { schemas: [groupSchema], displayName: 'Everybody', members: others(fullTimes + n) }
        return textOfScim(directory, `PUT ${path}`, fields)
      },
    },
  ]
}

async function measure({ send }: Exchange, instruments: Instruments, { times, text }: Asked) {
  const texts = Array.from({ length: times }, (_, n) => text(n))
  await instruments.forgetStatements()
  const request: number[] = []
  for (const one of texts) {
    const began = performance.now()
    await send(one)
    request.push(performance.now() - began)
  }
  const counted = (await instruments.statements()) ?? []
  const ms = counted.reduce((sum, each) => sum + each.ms, 0)
  return { statements: counted.length > 0 ? ms / times : Number.NaN, request }
}
