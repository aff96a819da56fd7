import { notAcceptable } from '../../errors.ts'

type Range = { type: string; quality: number }

export const eventStreamType = 'text/event-stream'

/** The media type of the reply, of those that the operation has. Undefined: it has only JSON, whatever is asked for. Throws a 406. */
export function negotiate(accept: string | undefined, { eventStream, otherMediaTypes }: Negotiated) {
  if (eventStream === 'always') return chooseMediaType(accept, [eventStreamType])
  const others = ['application/json', ...Object.keys(otherMediaTypes ?? {})]
  if (eventStream) return chooseMediaType(accept, [...others, eventStreamType], [eventStreamType])
  return otherMediaTypes && chooseMediaType(accept, others)
}

type Negotiated = { eventStream?: 'optional' | 'always'; otherMediaTypes?: Record<string, string> }

/**
 * The media type of `offered` that the header `Accept` prefers (RFC 9110, 12.5.1), of equal ones the first; without a header the
 * first. Those of `byNameOnly` no range with `*` means, because a client must know what it asks for that has no end. Throws a 406 where
 * it allows none.
 */
export function chooseMediaType(accept: string | undefined, offered: string[], byNameOnly: string[] = []): string {
  const ranges = (accept?.trim() || '*/*').split(',').map(toRange)
  const exact = ranges.filter(({ type }) => !type.endsWith('*'))
  const qualities = offered.map((type) => qualityOf(type, byNameOnly.includes(type) ? exact : ranges))
  const best = Math.max(...qualities)
  if (best === 0) throw notAcceptable(offered)
  return offered[qualities.indexOf(best)] as string
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
