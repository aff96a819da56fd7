/** Seconds, or a time, which is taken by the clock of the one who says it. */
export function retryAfterMs(headers: Headers): number {
  const asked = headers.get('Retry-After') ?? ''
  if (/^\d+$/.test(asked)) return Number(asked) * 1_000
  const now = Date.parse(headers.get('Date') ?? '') || Date.now()
  return Math.max(Date.parse(asked) - now, 0) || 0
}
