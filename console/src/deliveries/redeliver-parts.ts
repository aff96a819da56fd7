import { SignetError } from '@signet/management'

export type Span = { since: string; until: string }

type Options = {
  redeliver: (part: Span) => Promise<unknown>
  /** Once it is aborted, no further part is begun. */
  signal: AbortSignal
}

/** The rest of the span that begins at `since` is still to be done. */
export type PartProgress = { parts: number; since: string }

/** The service takes 10,000 deliveries at once, and names the `until` of the first so many where there are more. */
const suggestion = /^until: must be at most (\S+?),/

/** A span of any length, part by part, the oldest first. */
export async function* redeliverParts({ since, until }: Span, options: Options): AsyncGenerator<PartProgress> {
  let [from, parts] = [since, 0]
  while (!options.signal.aborted && Date.parse(from) < Date.parse(until)) {
    const to = await redeliverFirst({ since: from, until }, options.redeliver)
    from = to
    parts += 1
    yield { parts, since: from }
  }
}

/** Up to where it came. */
async function redeliverFirst(span: Span, redeliver: Options['redeliver']): Promise<string> {
  try {
    await redeliver(span)
    return span.until
  } catch (error) {
    const until = suggestedUntil(error)
    // A part that cannot be cut further would be asked for again and again.
    if (until === undefined || Date.parse(until) <= Date.parse(span.since)) throw error
    await redeliver({ since: span.since, until })
    return until
  }
}

function suggestedUntil(error: unknown): string | undefined {
  const messages = error instanceof SignetError ? error.errors.map(({ message }) => message) : []
  return messages.map((message) => suggestion.exec(message)?.[1]).find((until) => until !== undefined)
}
