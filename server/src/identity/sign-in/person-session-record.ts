import { Type } from 'typebox'
import { named, Timestamp, Uuid } from '../../ground/http/chain/schemas.ts'

const id = Type.String({
  description: 'The id of the session. It is no secret: nobody is signed in by it.',
  examples: ['Yk3Q0yPzVbq0m8wDq2Z7tJr5l1fH4sN9cX6uE0aBgKo'],
})

export const PersonSessionRecord = named(
  'PersonSession',
  Type.Object(
    {
      id,
      created_at: { ...Timestamp, description: 'When the browser was first signed in.' },
      last_used_at: { ...Timestamp, description: 'When the person last signed in to an application with it.' },
      oauth_client_id: Type.Optional(
        Type.String({
          description: 'The OAuth client ID of the credential. Absent: it was deleted.',
          examples: ['8c1f2a7e.apps.example.com'],
        }),
      ),
      applications: Type.Array(Uuid, {
        description: 'The client ids of the applications that the person signed in to.',
      }),
      client_ip_address: Type.String({
        description: 'The address that the browser last came from. Empty: an earlier release did not keep it.',
        examples: ['192.0.2.1'],
      }),
      user_agent: Type.String({
        description: 'What the browser last called itself.',
        examples: ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
      }),
    },
    { description: 'A browser in which a person is signed in.' },
  ),
)
