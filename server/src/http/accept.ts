type Range = { type: string; quality: number }

/**
 * The one of these media types that a client prefers (RFC 9110, 12.5.1), and of equals the first. Undefined: it accepts none of
 * them. Parameters other than `q` are ignored, because no type is offered in two forms.
 */
export function preferredType<Type extends string>(
  accept: string | undefined,
  offered: readonly Type[],
): Type | undefined {
  if (!accept?.trim()) return offered[0]
  const ranges = accept.split(',').map(toRange)
  const rated = offered.map((type) => ({ type, quality: qualityOf(type, ranges) }))
  const best = rated.reduce((one, other) => (other.quality > one.quality ? other : one))
  return best.quality > 0 ? best.type : undefined
}

function toRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.map((parameter) => /^q=([01](?:\.\d{0,3})?)$/.exec(parameter)?.[1]).find(Boolean)
  return { type, quality: quality === undefined ? 1 : Number(quality) }
}

/** That of the most specific range. */
function qualityOf(type: string, ranges: Range[]): number {
  const [main] = type.split('/')
  for (const range of [type, `${main}/*`, '*/*']) {
    const found = ranges.find((one) => one.type === range)
    if (found) return found.quality
  }
  return 0
}
