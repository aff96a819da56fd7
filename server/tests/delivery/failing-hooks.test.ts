import { expect, test } from 'vitest'
import { addHook, answering, failing, organization, receiver, run, service, setUpHooks } from '../support/hooks.ts'

setUpHooks()

const notices = async () => (await service.as(organization, 'GET', '/organizations/notices')).body.result

test('A hook whose newest run failed is told of with what was wrong, until one succeeds', async () => {
  const { id, path } = await addHook('hook', answering({ a: 1 }))
  await run()
  expect(await notices()).toEqual([])
  receiver.behave(path, failing)
  await run()
  await run()
  expect(await notices()).toEqual([
    {
      kind: 'hook_failing',
      since: expect.any(String),
      failing_since: expect.any(String),
      target: { type: 'webhook', id, name: expect.any(String) },
      trigger_name: 'token_minted',
      on_failure: 'fail',
      failed_runs: 2,
      last_error: { at: expect.any(String), status_code: 500, count: 6 },
    },
  ])
  receiver.behave(path, answering({ a: 1 }))
  await run()
  expect(await notices()).toEqual([])
})

test('A hook that refuses somebody works again', async () => {
  const { path } = await addHook('hook', failing)
  await run()
  expect(await notices()).toMatchObject([{ kind: 'hook_failing', failed_runs: 1 }])
  receiver.behave(path, answering({ deny: { reason: 'Not today' } }))
  await run()
  expect(await notices()).toEqual([])
})
