import { Type } from 'typebox'
import { named, Timestamp, Uuid } from '../../ground/http/chain/schemas.ts'
import { CredentialPath } from '../credentials/index.ts'
import { signInSteps } from '../providers/index.ts'
import type { StoredTest } from './test-sign-in-store.ts'
import type { Claims } from './test-steps.ts'

export const NewTestSignIn = named(
  'NewTestSignIn',
  Type.Object(
    {
      id: { ...Uuid, description: 'The id of the test.' },
      url: Type.String({
        description: 'Where a browser begins it, once.',
        examples: [
          'https://id.example.com/sso/tests/0199a3f2-5c00-7000-8000-0242ac120002/Zk3vW1s0mT7Qx2cR8bNfYhL5gJ9uKdPeA4tVoXiCwEk',
        ],
      }),
    },
    { description: 'A test sign-in that a browser may begin.' },
  ),
)

const Step = Type.Object(
  {
    step: Type.Enum([...signInSteps], {
      description:
        '`discovery`: the addresses of the provider; `state`: whether its answer belongs to this test; `authorization`: what ' +
        'it answered; `token`: the exchange of the code; `id_token`: every check of it; `userinfo` and `emails`: the requests ' +
        'for the person and their addresses; `claims`: what a sign-in would make of them.',
      examples: ['token'],
    }),
    status: Type.Enum(['ok', 'failed', 'pending'], { description: '`pending`: not reached.', examples: ['failed'] }),
    field: Type.Optional(
      Type.String({
        description:
          'What to mend: a field of the credential, its `callback_url` at the provider, a setting of the organization, or ' +
          '`SIGNET_PROVIDERS` of the operator.',
        examples: ['client_secret'],
      }),
    ),
    message: Type.Optional(
      Type.String({
        description: 'What is wrong, or what to do.',
        examples: ['The client secret is wrong, or has expired.'],
      }),
    ),
    detail: Type.Optional(
      Type.String({
        description:
          "The problem with the provider's own text, without secrets and addresses. Of `claims` that are ok: whether the " +
          'person is `known`, would be `linked`, or `new`.',
        examples: ['token: invalid_client: The client secret is not valid.'],
      }),
    ),
  },
  { description: 'One step of the sign-in.' },
)

const ClaimsOfTest = Type.Object(
  {
    issuer: Type.String({ description: 'The issuer of the identity.', examples: ['https://accounts.google.com'] }),
    subject: Type.String({
      description: 'The permanent id of the person at the issuer.',
      examples: ['117926493081204417953'],
    }),
    email: Type.Optional(Type.String({ description: 'The e-mail address.', examples: ['jo@example.com'] })),
    email_verified: Type.Boolean({ description: 'Whether the provider vouches for the address.', examples: [true] }),
    name: Type.Optional(Type.String({ description: 'The name.', examples: ['Jo Doe'] })),
    given_name: Type.Optional(Type.String({ description: 'The given name.', examples: ['Jo'] })),
    family_name: Type.Optional(Type.String({ description: 'The family name.', examples: ['Doe'] })),
    preferred_username: Type.Optional(Type.String({ description: 'The user name at the provider.', examples: ['jo'] })),
    picture: Type.Optional(
      Type.String({ description: 'The address of a picture.', examples: ['https://pictures.example.com/jo.png'] }),
    ),
    locale: Type.Optional(Type.String({ description: 'The language.', examples: ['en-GB'] })),
  },
  { description: 'How the provider identified the person: shown once, to the key that made the test.' },
)

export const TestSignInRecord = named(
  'TestSignIn',
  Type.Object(
    {
      id: { ...Uuid, description: 'The id of the test.' },
      status: Type.Enum(['pending', 'ok', 'failed'], {
        description: '`pending`: the browser has not come back yet.',
        examples: ['failed'],
      }),
      steps: Type.Array(Step, { description: 'In the order in which they happen; only those that the provider has.' }),
      claims: Type.Optional(ClaimsOfTest),
      expires_at: { ...Timestamp, description: 'When nothing will be left of it.' },
    },
    {
      description: 'How a test sign-in went.',
      examples: [
        {
          id: '0199a3f2-5c00-7000-8000-0242ac120002',
          status: 'failed',
          steps: [
            { step: 'state', status: 'ok' },
            { step: 'authorization', status: 'ok' },
            {
              step: 'token',
              status: 'failed',
              field: 'client_secret',
              message: 'The client secret is wrong, or has expired.',
              detail: 'token: incorrect_client_credentials',
            },
            { step: 'userinfo', status: 'pending' },
            { step: 'emails', status: 'pending' },
            { step: 'claims', status: 'pending' },
          ],
          expires_at: '2026-11-25T09:45:00.000Z',
        },
      ],
    },
  ),
)

export const TestPath = Type.Object({
  ...CredentialPath.properties,
  id: Type.String({ description: 'The id of the test.', examples: ['0199a3f2-5c00-7000-8000-0242ac120002'] }),
})

export const toTestRecord = ({ id, hasEnded, steps, expires_at }: StoredTest, claims: Claims | undefined) => ({
  id,
  status: hasEnded ? (steps.find(({ status }) => status === 'failed') ? 'failed' : 'ok') : 'pending',
  steps,
  expires_at,
  ...(claims && { claims }),
})
