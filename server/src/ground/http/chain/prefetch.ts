import type { FastifyRequest } from 'fastify'
import { prefetched } from '../../errors.ts'

/** A browser sends one of them when it fetches a page ahead of the person: also `prefetch;prerender`. */
const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']
const aheadForm = /\b(prefetch|prerender|preview)\b/i

/**
 * Refuses what a browser fetches before anybody has asked for it, where a GET consumes something: a callback, a request of an application,
 * the link of a test. The browser throws such a reply away, and asks again when the person does (Speculation Rules, "prefetch").
 */
export async function refusePrefetch({ headers }: FastifyRequest) {
  if (purposes.some((name) => aheadForm.test(String(headers[name] ?? '')))) throw prefetched()
}
