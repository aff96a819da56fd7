import { connect, type Socket } from 'node:net'
import { requestError, toRequestError } from './request-error.ts'

/** The addresses of each family as they become known, the preferred family first. A rejection forbids the connection. */
export type Families = Promise<string[]>[]

/** RFC 8305, section 8: wait for the preferred family once the other is known, and delay between connection attempts. */
const resolutionDelayMs = 50
const nextAttemptMs = 250
/** Per family: a name may have thousands. */
const maxAddresses = 8

/**
 * Connects to the first address that accepts (RFC 8305): families in turn, one more attempt every 250 ms, or at once when
 * one fails. An address that becomes known while others are tried, or after they have failed, is tried too.
 * Returns a function that stops the race; `onEnd` is not called after that.
 */
export function raceAddresses(families: Families, port: number, onEnd: (end: Socket | Error) => void): () => void {
  const untried: string[][] = families.map(() => [])
  const trying = new Set<Socket>()
  let unanswered = families.length
  let nextFamily = 0
  let hasBegun = false
  /** Whether the next address that becomes known is tried at once. */
  let isDue = false
  let isOver = false
  let failure: Error = requestError('name_not_found')
  let timer: NodeJS.Timeout | undefined

  const stop = (winner?: Socket) => {
    isOver = true
    clearTimeout(timer)
    for (const socket of trying) if (socket !== winner) socket.destroy()
  }

  const finish = (end: Socket | Error) => {
    if (isOver) return
    stop(end instanceof Error ? undefined : end)
    onEnd(end)
  }

  const takeAddress = (): string | undefined => {
    if (!untried[nextFamily]?.length)
      nextFamily = Math.max(
        0,
        untried.findIndex((addresses) => addresses.length > 0),
      )
    const address = untried[nextFamily]?.shift()
    nextFamily = (nextFamily + 1) % families.length
    return address
  }

  const tryNext = () => {
    if (isOver) return
    clearTimeout(timer)
    hasBegun = true
    const address = takeAddress()
    isDue = address === undefined
    if (address === undefined) return failIfLast()
    begin(address)
    timer = setTimeout(tryNext, nextAttemptMs)
  }

  const failIfLast = () => {
    if (trying.size === 0 && unanswered === 0) finish(failure)
  }

  const begin = (address: string) => {
    const socket = connect({ host: address, port, noDelay: true })
    trying.add(socket)
    socket.once('connect', () => finish(socket))
    socket.on('error', (error) => {
      trying.delete(socket)
      // Without a descriptor the address was never tried, so `no_descriptors` outranks later failures.
      if (toRequestError(failure) !== 'no_descriptors') failure = error
      tryNext()
    })
  }

  const hear = (addresses: string[], family: number) => {
    unanswered -= 1
    untried[family] = addresses.slice(0, maxAddresses)
    const isPreferred = family === 0 && addresses.length > 0
    if (hasBegun ? isDue : isPreferred || unanswered === 0) tryNext()
    else if (!hasBegun && addresses.length > 0) timer = setTimeout(tryNext, resolutionDelayMs)
  }

  for (const [index, family] of families.entries()) family.then((addresses) => hear(addresses, index), finish)
  return stop
}
