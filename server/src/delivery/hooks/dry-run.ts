import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { conflict, tooManyRequests } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { named } from '../../ground/http/chain/schemas.ts'
import type { Rate } from '../../ground/http/socket/rate-limit.ts'
import { takeAllowance } from '../../ground/limits/index.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { AttemptSchema, showAttempts, shownAnswer } from '../webhooks/attempts/index.ts'
import { noSuchWebhook, WebhookPath, webhookIdIn } from '../webhooks/index.ts'
import type { CallHook, HookCall } from './call-hook.ts'
import { type MadeUp, madeUpContent, tokenMinted } from './token-minted.ts'

const anyObject = (description: string) => Type.Object({}, { additionalProperties: true, description })

const DryRun = named(
  'DryRun',
  Type.Object(
    {
      status: Type.Enum(['succeeded', 'dropped', 'refused'], {
        description: '`dropped`: the call failed; `refused`: the hook would have refused the person.',
      }),
      reason: Type.Optional(Type.String({ description: 'Why it failed, as a code.' })),
      refusal: Type.Optional(
        Type.Object(
          {
            reason: Type.Optional(
              Type.String({ description: 'What the application would get as `error_description`.' }),
            ),
            code: Type.Optional(Type.String({ description: 'What the delivery log would show.' })),
          },
          { description: 'Where the hook refused: what is left of `deny`, cleaned and cut.' },
        ),
      ),
      request: Type.Optional(
        Type.Object(
          {
            target_url: Type.String({ description: 'The URL that was called.' }),
            headers: anyObject('The headers, without the custom ones.'),
            jwt: Type.String({ description: 'The body.' }),
            claims: anyObject('The claims of that JWT.'),
          },
          { description: 'The last one that was sent.' },
        ),
      ),
      answer: Type.Optional(
        Type.Object(
          {
            status_code: Type.Integer({ description: 'The status.' }),
            body: Type.String({ description: 'The first 1 KiB.' }),
          },
          { description: 'To that request; absent when none came.' },
        ),
      ),
      claims: anyObject('What the token would get.'),
      dropped_claims: Type.Array(Type.String(), {
        description: 'Protected claims of the answer: the token keeps its own.',
      }),
      attempts: Type.Array(AttemptSchema, { description: 'Newest last.' }),
    },
    {
      description: 'How the call of a hook went.',
      examples: [
        {
          status: 'succeeded',
          answer: { status_code: 200, body: '{"plan":"pro"}' },
          claims: { plan: 'pro' },
          dropped_claims: [],
          attempts: [
            {
              number: 1,
              jti: '0199a3f2-5c00-7000-8000-0242ac120005',
              started_at: '2026-11-25T09:30:00.012Z',
              duration_ms: 48.2,
              status_code: 200,
            },
          ],
        },
      ],
    },
  ),
)

type Dependencies = MadeUp & { database: Database; callHook: CallHook; dryRunRate: Rate; baseUrl: string }

export const dryRun = ({ database, callHook, dryRunRate, baseUrl, ...madeUp }: Dependencies) =>
  operation({
    id: 'dryRunWebhook',
    method: 'POST',
    path: '/organizations/webhooks/:webhook_id/dry-run',
    scope: 'webhooks:write',
    tag: 'Webhooks',
    summary: 'Call a synchronous hook with made-up content',
    description:
      'Calls a webhook that has the trigger `token_minted` as a sign-in would, in up to three attempts, with made-up ' +
      'content that has `"is_test": true`, and shows request and answer. Nobody signs in, and the delivery log does not ' +
      'show it. Receivers that are slow may take longer than the 30 seconds that a request is waited for: see ' +
      'Service-Required-Consistency-Timeout. At most 30 a minute and 60 at once for each organization, unless the ' +
      'operator set another rate.',
    params: WebhookPath,
    storesNothing: true,
    result: DryRun,
    refusals: [409, 429],
    handle: async ({ organizationId, record, params }) => {
      const now = madeUp.clock.now()
      const taken = { of: 'dryRuns', rate: dryRunRate, count: 1, now: toTimestamp(now) } as const
      const wait = await takeAllowance(database, organizationId, taken)
      if (wait !== undefined) throw tooManyRequests(wait)
      const content = JSON.stringify(madeUpContent(organizationId, madeUp))
      const run = { id: makeId(now), organizationId, content }
      const webhookId = webhookIdIn(params)
      const call = await callHook(run, webhookId)
      if (call.reason === 'webhook_deleted') throw noSuchWebhook()
      if (call.reason === 'trigger_deleted')
        throw conflict('no_hook_trigger', `webhook: has no trigger sync_hook ${tokenMinted}`)
      const invocation = { ...run, webhookId, triggerType: 'sync_hook', triggerName: tokenMinted, sub: run.id } as const
      const shown = {
        ...toDryRun(call),
        attempts: showAttempts(
          call.attempts.map(({ record }) => record),
          invocation,
          baseUrl,
        ),
      }
      const after = { status: shown.status, reason: shown.reason, answer: shown.answer }
      await record(database.write, organizationId, { target: { type: 'webhook', id: webhookId }, after })
      return shown
    },
  })

/** Without the custom headers, which are as good as a password: a dry run may be shown around. */
function toDryRun({ status, reason, refusal, attempts, claims, dropped }: HookCall) {
  const last = attempts.at(-1)
  const { outcome } = last ?? {}
  return {
    status,
    reason,
    refusal,
    request: last && toRequest(last.jwt),
    answer:
      outcome?.kind === 'answered' ? { status_code: outcome.status, body: shownAnswer(outcome.answer) } : undefined,
    claims,
    dropped_claims: dropped,
  }
}

function toRequest(jwt: string) {
  const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
  return { target_url: claims.target_url, headers: { 'content-type': 'application/jwt' }, jwt, claims }
}
