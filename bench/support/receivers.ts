import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { makeAuthority } from '../../scripts/certificates.ts'
import type { Arrival, ReceiverOrder, Span } from '../programs/receiver.ts'
import { type Program, startProgram } from './program.ts'
import type { Receiving } from './sender.ts'

const domain = 'receiver.test'

export type Receiver = Program & {
  /** `name` is a host of its own. */
  url(path: string, name?: string): string
  /** From now on it counts anew. */
  forget(): Promise<unknown>
  /** When so many different deliveries have arrived. */
  until(arrived: number): Promise<number>
  /** What has arrived: path and `sub`, and when. */
  tell(): Promise<Arrival[]>
  /** Milliseconds that it took for each request, from its first byte until its answer was handed over. */
  spent(): Promise<number[]>
  /** Path and `sub` of what it did not answer, or answered with a failure, as its path says. */
  disturbed(): Promise<string[]>
  /** The requests to a path that answers only some, or none. */
  spansOf(path: string): Promise<Span[]>
}

/** Longer than any round. */
const patienceMs = 120_000

/** HTTPS receivers whose certificates come from one authority, and what a sender must know of them. */
export async function openReceivers(folder: string, cleanup: AsyncDisposableStack) {
  const authority = makeAuthority()
  const certified = authority.issue([domain, `*.${domain}`])
  // Of its own: a benchmark may open receivers twice.
  const caFile = join(mkdtempSync(join(folder, 'receivers-')), 'ca.pem')
  writeFileSync(caFile, authority.certificate)
  const places: [place: string, address: string][] = []
  const urlAt = (port: number, path: string, name?: string) => {
    const place = `${name ? `${name}.` : ''}${domain}:${port}`
    if (!places.some(([known]) => known === place)) places.push([place, '127.0.0.1'])
    return `https://${place}${path}`
  }
  return {
    start: async (): Promise<Receiver> => {
      const program = await startProgram('programs/receiver.ts', certified, cleanup)
      const ask = <Answer>(order: ReceiverOrder) => program.ask<Answer>(order)
      const port = await ask<number>('port')
      urlAt(port, '')
      return {
        ...program,
        url: (path, name) => urlAt(port, path, name),
        forget: () => ask('forget'),
        until: (arrived) => within(patienceMs, ask<number>({ until: arrived }), `${arrived} deliveries did not arrive`),
        tell: () => ask<Arrival[]>('tell'),
        spent: () => ask<number[]>('spent'),
        disturbed: () => ask<string[]>('disturbed'),
        spansOf: (path) => ask<Span[]>({ spansOf: path }),
      }
    },
    /** A port where nobody listens: URLs that refuse. */
    refusing: async () => {
      const server = createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as { port: number }
      server.close()
      return (path: string, name: string) => urlAt(port, path, name)
    },
    receiving: (): Receiving => ({ authority: authority.certificate, resolve: places }),
    /** The same for Signet. */
    settings: () => ({
      NODE_EXTRA_CA_CERTS: caFile,
      SIGNET_WEBHOOK_RESOLVE: places.map(([place, address]) => `${place}:${address}`).join(),
    }),
  }
}

async function within<Result>(ms: number, work: Promise<Result>, problem: string): Promise<Result> {
  const over = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`${problem} within ${ms / 1_000} s`)), ms).unref()
  })
  return Promise.race([work, over])
}

/** Of what arrived: its place is the path, a blank and the `sub`. */
export const pathOf = (place: string) => place.slice(0, -37)
const subOf = (place: string) => place.slice(-36)

/** Milliseconds of each from its beginning, by its `sub`, until it arrived. */
export function delaysOf(arrivals: Arrival[], begun: [id: string, at: number][]): number[] {
  const beganAt = new Map(begun)
  return arrivals.map(([place, at]) => at - (beganAt.get(subOf(place)) ?? Number.NaN))
}
