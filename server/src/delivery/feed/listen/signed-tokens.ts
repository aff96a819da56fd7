/** `sentWithinMs`: how long it may still be sent. */
export type SignedToken = { data: string; sentWithinMs: () => number }

/** Characters of the tokens that are kept for further listeners: some 800 of the largest events. */
const maxCharacters = 16_777_216
/** A token that may be sent for less than this is signed anew: a slow listener would be disconnected. */
const leastSendMs = 2_000

type Kept = { token: Promise<SignedToken>; size: number; isFresh: () => boolean }

/** Tokens that were signed within the last seconds, the oldest of which go first. */
export function createSignedTokens() {
  const kept = new Map<string, Kept>()
  let characters = 0

  const forget = (name: string, entry: Kept) => {
    if (kept.get(name) !== entry) return
    kept.delete(name)
    characters -= entry.size
  }

  const dropOldest = () => {
    for (const [name, entry] of kept) {
      if (characters <= maxCharacters && entry.isFresh()) return
      forget(name, entry)
    }
  }

  const keep = (name: string, entry: Kept, { data, sentWithinMs }: SignedToken) => {
    if (kept.get(name) !== entry) return
    entry.size = data.length
    entry.isFresh = () => sentWithinMs() >= leastSendMs
    characters += entry.size
    dropOldest()
  }

  return {
    /** The token of that name, which `sign` makes where there is none. What failed is not kept. */
    of(name: string, sign: () => Promise<SignedToken>): Promise<SignedToken> {
      const found = kept.get(name)
      if (found?.isFresh()) return found.token
      if (found) forget(name, found)
      const entry: Kept = { token: sign(), size: 0, isFresh: () => true }
      kept.set(name, entry)
      entry.token.then(
        (token) => keep(name, entry, token),
        () => forget(name, entry),
      )
      return entry.token
    },
  }
}
