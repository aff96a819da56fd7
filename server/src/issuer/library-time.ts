import type { AdapterPayload } from 'oidc-provider'
import type { Clock } from '../runtime/clock.ts'

const times = ['iat', 'exp', 'iiat', 'loginTs', 'authTime'] as const

/**
 * The library knows no clock but the machine's. What it stores is in the time of all nodes, which tells them alike what has
 * expired, and is turned into this machine's time when it is read.
 */
export const createLibraryTime = (clock: Clock) => {
  const aheadSeconds = () => Math.round((Date.now() - clock.now()) / 1_000)
  const shift = (payload: AdapterPayload, seconds: number): AdapterPayload => {
    const shifted = { ...payload }
    for (const time of times) if (shifted[time] !== undefined) shifted[time] += seconds
    return shifted
  }
  return {
    toStored: (payload: AdapterPayload) => shift(payload, -aheadSeconds()),
    fromStored: (payload: AdapterPayload) => shift(payload, aheadSeconds()),
    /** Of an RFC 3339 timestamp, in seconds. */
    secondsOf: (timestamp: string) => Math.floor(Date.parse(timestamp) / 1_000) + aheadSeconds(),
    now: () => Math.floor(Date.now() / 1_000),
  }
}

export type LibraryTime = ReturnType<typeof createLibraryTime>
