import { notAcceptable } from '../errors.ts'

type Range = { type: string; quality: number }

/**
 * The media type of `offered` that the header `Accept` prefers (RFC 9110, 12.5.1), of equal ones the first; without a header the
 * first. Throws a 406 where it allows none.
 */
export function chooseMediaType<Type extends string>(accept: string | undefined, offered: readonly Type[]): Type {
  const ranges = (accept?.trim() || '*/*').split(',').map(toRange)
  const qualities = offered.map((type) => qualityOf(type, ranges))
  const best = Math.max(...qualities)
  if (best === 0) throw notAcceptable([...offered])
  return offered[qualities.indexOf(best)] as Type
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
