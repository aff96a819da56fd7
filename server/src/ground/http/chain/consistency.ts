import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'

/** Seconds (4, common header parameters). */
export const timeoutRange = { min: 1, max: 120, standard: 30 }

export type Consistency = { level: 'local_region' | 'all_regions'; timeoutMs: number }

/**
 * Reads the two consistency headers. Both levels share one deadline that starts when the request arrives. Where a header is
 * wrong, returns a line for each problem instead.
 */
export function readConsistency(request: FastifyRequest): Consistency | { problems: string[] } {
  const level = request.headers['service-required-consistency'] ?? 'local_region'
  const seconds = readSeconds(request.headers['service-required-consistency-timeout'])
  const problems: string[] = []
  if (level !== 'local_region' && level !== 'all_regions')
    problems.push('Service-Required-Consistency: must be local_region or all_regions')
  if (seconds === undefined)
    problems.push(
      `Service-Required-Consistency-Timeout: must be an integer from ${timeoutRange.min} to ${timeoutRange.max} (seconds)`,
    )
  if (problems.length > 0) return { problems }
  return { level: level as Consistency['level'], timeoutMs: (seconds as number) * 1000 }
}

function readSeconds(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return timeoutRange.standard
  if (typeof header !== 'string' || !/^\d{1,3}$/.test(header)) return undefined
  const seconds = Number(header)
  return seconds >= timeoutRange.min && seconds <= timeoutRange.max ? seconds : undefined
}

/**
 * Resolves as `work` does, or throws `lateError()` once the deadline has passed. The work itself goes on and may still
 * commit; if it fails later, `onLateFailure` receives the error, because no caller waits for it any more.
 */
export async function beforeDeadline<Result>(
  work: Promise<Result>,
  remainingMs: number,
  lateError: () => ApiError,
  onLateFailure: (error: unknown) => void,
): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => {
      reject(lateError())
      work.catch((error) => {
        if (!(error instanceof ApiError)) onLateFailure(error)
      })
    },
    Math.max(0, remainingMs),
  )
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
