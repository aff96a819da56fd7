import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../../ground/database/database.ts'
import { notFound } from '../../../ground/errors.ts'
import { clientAddress } from '../../../ground/http/socket/client-address.ts'
import type { CallerLimit } from '../../../ground/http/socket/rate-limit.ts'
import { isUuid } from '../../../ground/runtime/identifiers.ts'
import { findLogo, type Logo } from './branding-store.ts'
import { logoPath } from './look.ts'

type LogoParams = { Params: { organization_id: string; hash: string } }

/** The address has the hash of the picture: another picture has another address. */
const keptForSeconds = 31_536_000

/** The logo of an organization, for its own pages alone. Whatever its bytes are, a browser that is sent there runs nothing. */
export function serveLogos(app: FastifyInstance, { database, callers }: { database: Database; callers: CallerLimit }) {
  app.get<LogoParams>(
    logoPath(':organization_id', ':hash'),
    { onRequest: async (request) => callers.takeAddress(clientAddress(request)) },
    async (request, reply) => {
      const { organization_id, hash } = request.params
      const logo = isUuid(organization_id) ? await findLogo(database.read, organization_id, hash) : undefined
      if (!logo) throw notFound('logo')
      return send(logo, request, reply)
    },
  )
}

function send({ hash, media_type, picture }: Logo, { headers }: FastifyRequest<LogoParams>, reply: FastifyReply) {
  const etag = `"${hash}"`
  reply.headers({
    etag,
    'cache-control': `public, max-age=${keptForSeconds}, immutable`,
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  })
  if (isKnown(headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(media_type).send(picture)
}

/** RFC 9110, 13.1.2: any of the list, weak ones too. */
const isKnown = (header: string | undefined, etag: string) =>
  (header ?? '').split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag)
