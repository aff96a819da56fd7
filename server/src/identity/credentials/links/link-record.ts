import { Type } from 'typebox'
import { CreatedAt, named, Timestamp, Uuid } from '../../../ground/http/chain/schemas.ts'
import { callbackUrlOf, credentialFields } from '../index.ts'
import type { Link } from './link-store.ts'

const callback_url = Type.String({
  description: 'That of the credential which is made through the link: the redirect URI to register at the provider.',
  examples: ['https://id.example.com/sso/callback/0199a3f2-5c00-7000-8000-0242ac120002'],
})

export const linkFields = {
  provider: credentialFields.provider,
  label: { ...credentialFields.label, description: 'The label that the credential gets.' },
  callback_url,
}

const fields = {
  id: { ...Uuid, description: 'The id of the link, which does not open it.' },
  ...linkFields,
  created_at: CreatedAt,
  expires_at: { ...Timestamp, description: 'From then on nobody can use it.' },
}

export const LinkRecord = named(
  'CredentialLink',
  Type.Object(fields, { description: 'A credential link that is open.' }),
)
export const CreatedLink = named(
  'CreatedCredentialLink',
  Type.Object(
    {
      ...fields,
      url: Type.String({
        description: 'The link itself, which is shown this once. Whoever has it can use it.',
        examples: [`https://id.example.com/console/link#${'0'.repeat(96)}`],
      }),
    },
    { description: 'A new credential link.' },
  ),
)

export const toRecord = ({ id, provider, label, created_at, expires_at }: Link, baseUrl: string) => ({
  id,
  provider,
  label,
  callback_url: callbackUrlOf(baseUrl, id),
  created_at,
  expires_at,
})
