/** The statuses under which each code of `Signet-Error` comes. */
export type ErrorCodes = Record<string, number[]>

/** What of the kept codes no longer holds. */
export const compareErrorCodes = (kept: ErrorCodes, now: ErrorCodes): string[] =>
  Object.entries(kept)
    .flatMap(([code, statuses]) => {
      const found = now[code]
      if (!found) return [`${code} is gone`]
      const lost = statuses.filter((status) => !found.includes(status))
      return lost.map((status) => `${code} does not come with ${status} any more`)
    })
    .map((problem) => `${problem}: breaks clients that tell errors by it`)
