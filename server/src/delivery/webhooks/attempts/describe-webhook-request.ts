import { type TSchema, Type } from 'typebox'
import { named } from '../../../ground/http/chain/schemas.ts'
import type { WebhookRequest } from '../../../ground/http/document/document.ts'
import { exampleOf } from '../../../ground/http/document/example.ts'
import { claimFields } from './claim-fields.ts'

const JwtHeader = named(
  'WebhookJwtHeader',
  Type.Object(
    {
      alg: Type.Literal('ES256', { description: 'The algorithm of the signature.' }),
      typ: Type.Literal('JWT', { description: 'What it is.' }),
      kid: Type.String({
        description: 'The key of the verification key set that verifies the signature.',
        examples: ['sQ4sJv7cQkL1m1dXQ0m2n5oX3zq0lq5G9Jt8y0cQY3A'],
      }),
    },
    { description: 'The header of the JWT.' },
  ),
)

type Sent = { name: string; type: 'event' | 'sync_hook'; content: TSchema; example: unknown }

/** The claims of 6.3. */
const claimsOf = ({ name, type, content }: Sent) =>
  named(
    `${name}_Claims`,
    Type.Object(
      {
        ...claimFields,
        trigger_type: Type.Literal(type, { description: 'The type of the trigger.' }),
        trigger_name: Type.Literal(name, { description: 'The name of the trigger.' }),
        trigger_content: content,
      },
      { description: 'The claims of the JWT.' },
    ),
  )

/** Describes a request for the OpenAPI document: its body is a JWT, of which JSON Schema describes header and claims. */
export function describeWebhookRequest(sent: Sent, summary: string, description: string): WebhookRequest {
  const claims = claimsOf(sent)
  return {
    name: sent.name,
    summary,
    description,
    body: {
      type: 'string',
      description: 'A signed JWT.',
      contentMediaType: 'application/jwt',
      contentSchema: { type: 'array', minItems: 2, prefixItems: [JwtHeader, claims] },
    },
    example: toJwt(exampleOf(JwtHeader), { ...(exampleOf(claims) as object), trigger_content: sent.example }),
  }
}

/** An example, whose signature no key made. */
const toJwt = (...parts: unknown[]) =>
  [...parts.map((part) => Buffer.from(JSON.stringify(part))), Buffer.alloc(64)]
    .map((part) => part.toString('base64url'))
    .join('.')
