import { connect, type Socket } from 'node:net'
import { requestError, toRequestError } from './request-error.ts'

/** The addresses of each family as they become known, the preferred family first. A rejection forbids the connection. */
export type Families = Promise<string[]>[]

/** RFC 8305, section 8: wait for the preferred family once the other is known, and delay between connection attempts. */
const resolutionDelayMs = 50
const nextAttemptMs = 250
/**
 * So many addresses that refuse are followed by the next one at once. Each later one waits for 10 ms, the least delay of RFC 8305,
 * section 5, so that a name with thousands of addresses has no more than 100 called in a second by one request.
 */
const followedAtOnce = 8
const pausedAttemptMs = 10
/** Sockets of one request. Beyond that the one that has been silent longest, for four seconds at least, makes way for the next address. */
const maxOpen = 16

type Race = {
  port: number
  onEnd: (end: Socket | Error) => void
  /** By family. */
  untried: string[][]
  /** Families whose addresses are not known yet. */
  unanswered: number
  nextFamily: number
  trying: Set<Socket>
  failures: number
  hasBegun: boolean
  /** Whether the next address that becomes known is tried at once. */
  isDue: boolean
  isOver: boolean
  failure: Error
  timer: NodeJS.Timeout | undefined
}

/**
 * Connects to the first address that accepts (RFC 8305): families in turn, one more attempt every 250 ms, or at once when
 * one fails. An address that becomes known while others are tried, or after they have failed, is tried too. The race ends
 * with a connection, after the last address, or when its caller's time is over.
 * Returns a function that stops the race; `onEnd` is not called after that.
 */
export function raceAddresses(families: Families, port: number, onEnd: (end: Socket | Error) => void): () => void {
  const race: Race = {
    port,
    onEnd,
    untried: families.map(() => []),
    unanswered: families.length,
    nextFamily: 0,
    trying: new Set(),
    failures: 0,
    hasBegun: false,
    isDue: false,
    isOver: false,
    failure: requestError('name_not_found'),
    timer: undefined,
  }
  for (const [index, family] of families.entries())
    family.then(
      (addresses) => hear(race, addresses, index),
      (error) => finish(race, error),
    )
  return () => stop(race)
}

function hear(race: Race, addresses: string[], family: number) {
  race.unanswered -= 1
  race.untried[family] = [...addresses]
  const isPreferred = family === 0 && addresses.length > 0
  if (race.hasBegun ? race.isDue : isPreferred || race.unanswered === 0) tryNext(race)
  else if (!race.hasBegun && addresses.length > 0) race.timer = setTimeout(() => tryNext(race), resolutionDelayMs)
}

function tryNext(race: Race) {
  if (race.isOver) return
  clearTimeout(race.timer)
  race.hasBegun = true
  const address = takeAddress(race)
  race.isDue = address === undefined
  if (address === undefined) return failIfLast(race)
  attempt(race, address)
  race.timer = setTimeout(() => tryNext(race), nextAttemptMs)
}

function takeAddress(race: Race): string | undefined {
  const { untried } = race
  if (!untried[race.nextFamily]?.length)
    race.nextFamily = Math.max(
      0,
      untried.findIndex((addresses) => addresses.length > 0),
    )
  const address = untried[race.nextFamily]?.shift()
  race.nextFamily = (race.nextFamily + 1) % untried.length
  return address
}

function failIfLast(race: Race) {
  if (race.trying.size === 0 && race.unanswered === 0) finish(race, race.failure)
}

function attempt(race: Race, address: string) {
  if (race.trying.size === maxOpen) giveUpOldest(race)
  const socket = connect({ host: address, port: race.port, noDelay: true })
  race.trying.add(socket)
  socket.once('connect', () => finish(race, socket))
  socket.on('error', (error) => {
    race.trying.delete(socket)
    // Without a descriptor the address was never tried, so `no_descriptors` outranks later failures.
    if (toRequestError(race.failure) !== 'no_descriptors') race.failure = error
    race.failures += 1
    if (race.failures < followedAtOnce) return tryNext(race)
    clearTimeout(race.timer)
    if (!race.isOver) race.timer = setTimeout(() => tryNext(race), pausedAttemptMs)
  })
}

function giveUpOldest({ trying }: Race) {
  const [oldest] = trying
  oldest?.destroy()
  trying.delete(oldest as Socket)
}

function finish(race: Race, end: Socket | Error) {
  if (race.isOver) return
  stop(race, end instanceof Error ? undefined : end)
  race.onEnd(end)
}

function stop(race: Race, winner?: Socket) {
  race.isOver = true
  clearTimeout(race.timer)
  for (const socket of race.trying) if (socket !== winner) socket.destroy()
}
