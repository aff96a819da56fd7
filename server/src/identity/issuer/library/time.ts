import type { AdapterPayload } from 'oidc-provider'
import type { Clock } from '../../../ground/runtime/clock.ts'

const times = ['iat', 'exp', 'iiat', 'loginTs', 'authTime'] as const

/**
 * The library reads only the machine's clock. Stored times are those of our clock, so that all nodes agree on what has
 * expired, and are converted to the machine's time when read.
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
    /** An RFC 3339 timestamp as the library's seconds. */
    secondsOf: (timestamp: string) => Math.floor(Date.parse(timestamp) / 1_000) + aheadSeconds(),
    now: () => Math.floor(Date.now() / 1_000),
  }
}

export type LibraryTime = ReturnType<typeof createLibraryTime>
