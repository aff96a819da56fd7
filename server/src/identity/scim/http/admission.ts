import type { FastifyRequest } from 'fastify'
import { onBehalfOf } from '../../../ground/database/connection-turns.ts'
import { bearerIn } from '../../../ground/http/chain/operation-input.ts'
import { createRateLimit, type Rate } from '../../../ground/http/socket/rate-limit.ts'
import type { Clock } from '../../../ground/runtime/clock.ts'
import { isUuid } from '../../../ground/runtime/identifiers.ts'
import type { AuthenticateDirectory } from '../../directories/index.ts'
import { ScimError } from '../errors.ts'

type Admitted = Exclude<Awaited<ReturnType<AuthenticateDirectory>>, 'expired' | undefined>

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request of SCIM whose token was accepted. */
    admitted: Admitted | undefined
  }
}

/** A token that was right this long ago is not looked up again for the same request. */
const admittedMs = 1_000

type Dependencies = { clock: Clock; authenticate: AuthenticateDirectory; rate: Rate }

export type Admission = {
  /** Before anything of the body is read. Throws 401, 404, and 429 beyond the rate of a directory. */
  admit(request: FastifyRequest): Promise<void>
  /** A token that was revoked while the body arrived slowly is refused. */
  requireStill(request: FastifyRequest): Promise<Admitted>
}

export function createAdmission({ clock, authenticate, rate }: Dependencies): Admission {
  const directories = createRateLimit(clock, rate)
  const authenticated = (request: FastifyRequest) =>
    onBehalfOf(request.organizationId, () => authenticateBearer(request, authenticate))
  return {
    admit: async (request) => {
      request.organizationId = organizationIn(request)
      request.admitted = await authenticated(request)
      directories.take(request.admitted.directory.id)
    },
    requireStill: async (request) => {
      const { admitted, arrivedAt } = request
      return admitted && performance.now() - arrivedAt < admittedMs ? admitted : authenticated(request)
    },
  }
}

/** Throws a 404. */
export function organizationIn({ params }: FastifyRequest): string {
  const { organization_id: id } = params as { organization_id: string }
  if (!isUuid(id)) throw new ScimError(404, 'path: must have the id of an organization behind /scim/')
  return id.toLowerCase()
}

async function authenticateBearer(request: FastifyRequest, authenticate: AuthenticateDirectory): Promise<Admitted> {
  const token = bearerIn(request.headers.authorization)
  const found = token ? await authenticate(request.organizationId, token) : undefined
  if (found === 'expired') throw unauthorized('Authorization: the token has expired')
  if (!found) throw unauthorized('Authorization: must be Bearer with a valid token of a directory of this organization')
  return found
}

const unauthorized = (detail: string) => new ScimError(401, detail, undefined, { 'www-authenticate': 'Bearer' })
