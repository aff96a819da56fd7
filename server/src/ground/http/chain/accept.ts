import { notAcceptable } from '../../errors.ts'
import { csvType, isList } from './csv.ts'
import type { Operation } from './operation.ts'

type Range = { type: string; quality: number }

export const eventStreamType = 'text/event-stream'

/**
 * The media type of the reply, of those that the operation has; a list is a table for who names that. Undefined: JSON, whatever else
 * is asked for of an operation that has nothing else. Throws a 406.
 */
export function negotiate(accept: string | undefined, operation: Operation) {
  const { eventStream, otherMediaTypes } = operation
  if (eventStream === 'always') return chooseMediaType(accept, [eventStreamType])
  const byNameOnly = [...(isList(operation) ? [csvType] : []), ...(eventStream ? [eventStreamType] : [])]
  const offered = [json, ...Object.keys(otherMediaTypes ?? {}), ...byNameOnly]
  if (eventStream || otherMediaTypes) return chooseMediaType(accept, offered, byNameOnly)
  return preferred(accept, offered, byNameOnly)
}

const json = 'application/json'

/** What depends on the header says so, a refusal too. */
export const dependsOnAccept = (operation: Operation) =>
  Boolean(operation.otherMediaTypes || operation.eventStream) || isList(operation)

/**
 * The media type of `offered` that the header `Accept` prefers (RFC 9110, 12.5.1), of equal ones the first; without a header the
 * first. Those of `byNameOnly` no range with `*` means, because a client must know what it asks for that has no end. Throws a 406 where
 * it allows none.
 */
export function chooseMediaType(accept: string | undefined, offered: string[], byNameOnly: string[] = []): string {
  const best = preferred(accept, offered, byNameOnly)
  if (best === undefined) throw notAcceptable(offered)
  return best
}

function preferred(accept: string | undefined, offered: string[], byNameOnly: string[]): string | undefined {
  const ranges = (accept?.trim() || '*/*').split(',').map(toRange)
  const exact = ranges.filter(({ type }) => !type.endsWith('*'))
  const qualities = offered.map((type) => qualityOf(type, byNameOnly.includes(type) ? exact : ranges))
  const best = Math.max(...qualities)
  return best === 0 ? undefined : offered[qualities.indexOf(best)]
}

function toRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const q = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '')
  const quality = q === undefined ? 1 : Number(q)
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 }
}

/** The most specific range decides, whatever its quality. */
function qualityOf(type: string, ranges: Range[]): number {
  const [group] = type.split('/')
  const matching = [type, `${group}/*`, '*/*'].map((range) => ranges.filter((one) => one.type === range))
  const decisive = matching.find((found) => found.length > 0) ?? []
  return Math.max(0, ...decisive.map(({ quality }) => quality))
}
