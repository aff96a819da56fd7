import type { Requested, RequestsOrder } from '../programs/requests.ts'
import { type Directory, newUser, textOfScim } from './directory.ts'
import { type Credentials, openExchange, textOfRequest } from './exchange.ts'
import { figureOf, milliseconds, percent, show, table, verdict, whole } from './figures.ts'
import { orQuick } from './options.ts'
import { cpuOf, residentOf } from './processes.ts'
import type { Program } from './program.ts'
import type { Signet } from './signet.ts'

export const users = orQuick(100_000, 600)
export const rounds = orQuick(20, 3)
export const callers = 16
const perRound = users / rounds
/** Of each way, before the first round; nobody counts it. */
const warmUp = orQuick(2_000, 100)
const pageSize = 1_000
const targets = { ratio: 0.5, slowestMs: 1_000 }

type Bench = {
  signet: Signet
  organization: Credentials
  directory: Directory
  load: Program
  /** Seconds of CPU that PostgreSQL has used. */
  postgresCpu: () => number
}
/** CPU in µs a request. */
type Way = { rate: number; signet: number; postgres: number; slowestMs: number; ids: string[] }
type Round = { scim: Way; persons: Way; megabytes: number }

/** Creates users by SCIM and persons by the interface, by turns, and lists the users. Gives their ids too. */
export async function measureUsers(bench: Bench): Promise<{ ids: string[]; paragraphs: string[] }> {
  const textsOf = (series: string, count: number, from: number) => {
    const numbers = Array.from({ length: count }, (_, n) => from + n)
    return {
      scim: numbers.map((n) => textOfScim(bench.directory, 'POST /Users', newUser(series, n))),
      persons: numbers.map((n) => textOfPerson(bench, `${series}-${n}`)),
    }
  }
  for (const texts of Object.values(textsOf('warm-up', warmUp, 0))) await send(bench, texts)
  const all: Round[] = []
  for (let round = 0; round < rounds; round++) {
    const texts = textsOf('user', perRound, round * perRound)
    const [scim, persons] = [await send(bench, texts.scim), await send(bench, texts.persons)]
    all.push({ scim, persons, megabytes: residentOf(bench.signet.pid) / 1e6 })
    console.log(`round ${round + 1} of ${rounds}: ${whole(scim.rate)} users/s, ${whole(persons.rate)} persons/s`)
  }
  const pages = await listAll(bench.directory)
  const paragraphs = ['**Creating users**', tableOf(all), judge(all), judgeTimes(all, pages), describeMemory(all)]
  return { ids: all.flatMap(({ scim }) => scim.ids), paragraphs }
}

async function send({ signet, load, postgresCpu }: Bench, texts: string[]): Promise<Way> {
  const used = () => [cpuOf(signet.pid), postgresCpu()]
  const before = used()
  const done = await load.ask<Requested>({ port: signet.port, texts, callers } satisfies RequestsOrder)
  const [signetCpu = 0, postgres = 0] = used().map((after, index) => (after - (before[index] ?? 0)) / texts.length)
  const { seconds, slowestMs, ids } = done
  return { rate: texts.length / seconds, signet: signetCpu * 1e6, postgres: postgres * 1e6, slowestMs, ids }
}

function textOfPerson({ signet, organization }: Bench, name: string): string {
  const handles = [{ type: 'EmailAddress', value: `${name}@example.com`, verified: true }]
  return textOfRequest(signet.port, 'POST /persons', organization, JSON.stringify({ handles }))
}

/** Page by page; gives the time of each. */
async function listAll(directory: Directory): Promise<number[]> {
  const { send, close } = await openExchange(directory.port)
  const pages: number[] = []
  for (let startIndex = 1; startIndex <= users; startIndex += pageSize) {
    const began = performance.now()
    await send(textOfScim(directory, `GET /Users?startIndex=${startIndex}&count=${pageSize}`))
    pages.push(performance.now() - began)
  }
  close()
  return pages
}

const ratioOf = (all: Round[]) => figureOf(all.map(({ scim, persons }) => scim.rate / persons.rate))

function tableOf(all: Round[]): string {
  const row = (name: string, way: 'scim' | 'persons', share: string) => {
    const of = (part: 'rate' | 'signet' | 'postgres') => show(figureOf(all.map((round) => round[way][part])))
    return [name, of('rate'), share, of('signet'), of('postgres')]
  }
  return table([
    ['', 'a second', 'of the interface', 'CPU: Signet', 'PostgreSQL'],
    row('`POST /persons`', 'persons', '100 %'),
    row('`POST /Users`', 'scim', show(ratioOf(all), percent)),
  ])
}

function judge(all: Round[]): string {
  const { median } = ratioOf(all)
  return `SCIM reaches ${percent(median)} of the interface's rate; the target is ${percent(targets.ratio)} or more: ${verdict(median >= targets.ratio)}.`
}

function judgeTimes(all: Round[], pages: number[]): string {
  const slowestMs = Math.max(...all.map(({ scim }) => scim.slowestMs), ...pages)
  const isMet = slowestMs < targets.slowestMs
  return `A page of ${whole(pageSize)} users took ${show(figureOf(pages), milliseconds)}. No request of SCIM took longer than ${milliseconds(slowestMs)} here; the target is under ${whole(targets.slowestMs)} ms: ${verdict(isMet)}.`
}

function describeMemory(all: Round[]): string {
  const [first = 0, last = 0] = [all[0]?.megabytes, all.at(-1)?.megabytes]
  return `Memory of the process: ${whole(first)} MB after the first round, ${whole(last)} MB after the last one.`
}
