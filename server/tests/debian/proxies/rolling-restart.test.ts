import { describe, expect, test } from 'vitest'
import { addWebhook } from '../../support/webhooks.ts'
import { startBehind } from './support/behind.ts'
import { expectDelivered } from './support/delivered.ts'
import { frontNames } from './support/fronts.ts'
import { type Load, startLoad } from './support/load.ts'
import { tell } from './support/tell.ts'

/** More than each front takes to notice: HAProxy and Caddy look every second, nginx closes idle connections after five. */
const drain = '6s'

/** nginx does not ask whether a process is about to stop, and must not repeat a POST that arrives just as its port closes. */
const isUnexpected = ({ method, status }: Load['failures'][number]) => method !== 'POST' || status !== 502

describe.each(frontNames)('Two processes behind %s that are restarted in turn', (name) => {
  test('The processes fail no request that could be answered, and deliver what each of them acknowledged', async () => {
    await using life = new AsyncDisposableStack()
    const behind = await startBehind(life, name, { env: { SIGNET_DRAIN: drain } })
    const organization = await behind.client.organization()
    await addWebhook(behind.client, organization, behind.receiver.url('/load'), ['PersonCreated_v1'])
    const load = startLoad(behind.baseUrl, organization)
    await behind.restart(0)
    await behind.restart(1)
    const answered = await load.stop()
    tell(`${name}: ${answered} requests during two restarts, ${load.failures.length} of them failed`)
    expect(load.failures.filter(name === 'nginx' ? isUnexpected : () => true)).toEqual([])
    expect(load.failures.length).toBeLessThan(answered / 100)
    await expectDelivered(behind.receiver, '/load', load.acknowledged)
  })
})
