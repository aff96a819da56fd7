import { Type } from 'typebox'
import { LastError, maxRunsLookedAt, maxWaiting } from '../../delivery/statistics/index.ts'
import { named, Timestamp, Uuid } from '../../ground/http/chain/schemas.ts'

/** Of one directory, in a notice. */
export const maxAdoptionsCounted = 1_000

/** In the order in which they are listed. */
export const noticeKinds = [
  'webhook_paused',
  'webhook_failing',
  'hook_failing',
  'credential_waits',
  'client_secret_expires',
  'api_key_expires',
  'directory_token_expires',
  'persons_adopted',
  'quota_nearly_full',
] as const
export type NoticeKind = (typeof noticeKinds)[number]

const count = (most: number) => most.toLocaleString('en')

const Target = Type.Object(
  {
    type: Type.Enum(['webhook', 'oidc_credential', 'application', 'api_key', 'directory', 'quota'], {
      description: 'What it is, as in the audit log; `quota`: a limit of the pricing tier.',
    }),
    id: Type.String({
      description: 'Its id; of a credential its client id; of a quota `groups`, `persons` or `webhooks`.',
      examples: ['0199a3f2-5c00-7000-8000-0242ac120002'],
    }),
    name: Type.Optional(
      Type.String({ description: 'What it is called; absent where it has no name.', examples: ['Customer records'] }),
    ),
  },
  { description: 'What needs attention.' },
)

export const Notice = named(
  'Notice',
  Type.Object(
    {
      kind: Type.Enum([...noticeKinds], {
        description:
          '`webhook_paused`: its events are held, because it failed or somebody asked for it; `webhook_failing`: its newest ' +
          'attempt failed; `hook_failing`: the newest run of its synchronous hook within a day failed; `credential_waits`: it came by a ' +
          'link, or from a key that is no admin key, and is not used until an admin key or an owner sets `active`; ' +
          '`client_secret_expires`: the last valid secret of an application expires within 14 days or did within the last 7; ' +
          '`api_key_expires`: a key does; `directory_token_expires`: a token of a directory does; `persons_adopted`: a directory took persons for ' +
          'its own who were there before, within 7 days; `quota_nearly_full`: nine tenths or more of a limit of the pricing tier are used.',
      }),
      since: Type.Optional({
        ...Timestamp,
        description:
          'Since when. Of what expires: 14 days before, or its creation; of adoptions: the first of these. Absent where nothing that is stored says it.',
      }),
      target: Target,
      paused_reason: Type.Optional(
        Type.Enum(['requested', 'failing', 'restored', 'moving'], {
          description:
            'Of a webhook that is paused: why, as its record says; `moving`: its organization is on its way to another cell.',
        }),
      ),
      failing_since: Type.Optional({
        ...Timestamp,
        description:
          'Of a receiver: the first failure after the last success, an attempt of a webhook or a run of a hook.',
      }),
      held: Type.Optional(
        Type.Integer({
          description: `Of a webhook that is paused: how many deliveries it holds; ${count(maxWaiting)} stands for that many or more.`,
          examples: [12],
        }),
      ),
      pending: Type.Optional(
        Type.Integer({
          description: `Of a webhook that fails: how many deliveries wait; ${count(maxWaiting)} stands for that many or more.`,
          examples: [12],
        }),
      ),
      last_error: Type.Optional({
        ...LastError,
        description:
          'Of a receiver: how its newest failed attempt failed; `count`: how many have failed so since the hour of `failing_since`. ' +
          'Absent where an earlier version of this service made the attempts.',
      }),
      failed_runs: Type.Optional(
        Type.Integer({
          description: `Of a hook: how many runs failed since then; ${count(maxRunsLookedAt)} stands for that many or more.`,
          examples: [3],
        }),
      ),
      on_failure: Type.Optional(
        Type.Enum(['fail', 'continue'], { description: 'Of a hook: whether its failure fails the sign-in.' }),
      ),
      trigger_name: Type.Optional(Type.String({ description: 'Of a hook: its trigger.', examples: ['token_minted'] })),
      provider: Type.Optional(Type.String({ description: 'Of a credential.', examples: ['provider_a'] })),
      waits_for: Type.Optional(
        Type.Enum(['link', 'key'], {
          description:
            'Of a credential: whose work an admin key is to confirm, that of a link or of a key that is no admin key.',
        }),
      ),
      expires_at: Type.Optional({ ...Timestamp, description: 'Of what expires: when, or when it did.' }),
      secret_id: Type.Optional({ ...Uuid, description: 'Of an application: the secret that is the last to expire.' }),
      token_id: Type.Optional({ ...Uuid, description: 'Of a directory: the token that expires.' }),
      adopted: Type.Optional(
        Type.Integer({
          description: `Of a directory: how many persons it adopted; ${count(maxAdoptionsCounted)} stands for that many or more.`,
          examples: [3],
        }),
      ),
      used: Type.Optional(Type.Integer({ description: 'Of a quota: how many there are.', examples: [950] })),
      limit: Type.Optional(Type.Integer({ description: 'Of a quota: how many there may be.', examples: [1000] })),
      has_more: Type.Optional(
        Type.Boolean({
          description: 'True of the last one of a kind of which there are more. Otherwise absent.',
        }),
      ),
    },
    {
      description: "Something that needs somebody's attention now.",
      examples: [
        {
          kind: 'webhook_failing',
          since: '2026-11-25T09:30:00.000Z',
          target: { type: 'webhook', id: '0199a3f2-5c00-7000-8000-0242ac120002', name: 'Customer records' },
          failing_since: '2026-11-25T09:30:00.000Z',
          pending: 12,
          last_error: {
            at: '2026-11-25T10:30:00.000Z',
            status_code: 500,
            count: 6,
          },
        },
      ],
    },
  ),
)
