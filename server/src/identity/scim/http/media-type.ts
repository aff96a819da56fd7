import type { FastifyReply } from 'fastify'

/** Of every answer, whatever `Accept` says (RFC 7644, 8.1). */
export const scimMediaType = 'application/scim+json'
export const acceptedMediaTypes = [scimMediaType, 'application/json']

/** Bytes, for Fastify would name a charset beside the type, which this one does not have. */
export const sendScim = (reply: FastifyReply, body: object) =>
  reply.header('content-type', scimMediaType).send(Buffer.from(JSON.stringify(body)))
