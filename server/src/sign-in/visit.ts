import type { AuthorizeParams } from '../issuer/index.ts'
import { isUuid, makeId } from '../runtime/identifiers.ts'

/** What events tell of the browser that signs in. */
export type Visit = { correlationId: string; clientAddress: string; userAgent: string; windowLocation: string }

/** In characters; what is longer is cut. */
const maxLocation = 2_048

type Told = { params: AuthorizeParams; windowLocation: string; clientAddress: string; userAgent: string }

/** From the authorize request, which names a correlation id, and the browser that made it. */
export const visitOf = ({ params, windowLocation, clientAddress, userAgent }: Told, now: number): Visit => ({
  correlationId: isUuid(params.correlation_id ?? '') ? String(params.correlation_id).toLowerCase() : makeId(now),
  clientAddress,
  userAgent,
  windowLocation: windowLocation.slice(0, maxLocation),
})
