import { appendFileSync, existsSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import { firstIdAt, makeId } from '../../src/ground/runtime/identifiers.ts'
import { sweepExpired } from '../../src/identity/issuer/sweep-store.ts'
import { purgeDeletedOrganizations } from '../../src/identity/organizations/index.ts'
import { giveUpMoved, moveIn, moveOut, startMoved, undoMove } from '../../src/operator/move/index.ts'
import { startCommand } from '../support/command-line.ts'
import { ownPage } from '../support/console.ts'
import { claimsOf } from '../support/jwt.ts'
import { type MovingCell, passphrase, startMovingCell } from '../support/moving-cell.ts'
import { repository, temporaryFolder } from '../support/program.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import type { Organization } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

let receiver: Receiver
let [former, next]: MovingCell[] = []

beforeAll(async () => {
  receiver = await startReceiver()
  const start = () => startMovingCell(receiver, { SIGNET_RETRY_INITIAL: '1s' })
  ;[former, next] = await Promise.all([start(), start()])
})

afterAll(async () => {
  await Promise.all([former?.end(), next?.end()])
  await receiver?.stop()
})

const at = (cell: MovingCell | undefined) => (cell as MovingCell).service
const cellOf = (cell: MovingCell | undefined) => (cell as MovingCell).cell
const ignored = () => {}

let created = 0
const createPerson = (cell: MovingCell | undefined, organization: Organization) =>
  at(cell).as(organization, 'POST', '/persons', {
    handles: [{ type: 'EmailAddress', value: `${created++}@example.com` }],
  })

type FedEvent = { event_metadata: { event_id: string } }
type Page = { ids: string[]; next: string }
async function readFeed(
  cell: MovingCell | undefined,
  organization: Organization,
  after?: string,
  limit = 1_000,
): Promise<Page> {
  const query = new URLSearchParams({ limit: `${limit}`, ...(after && { after }) })
  const { status, body } = await at(cell).as(organization, 'GET', `/events?${query}`)
  expect([status, body.errors]).toEqual([200, undefined])
  return { ids: body.result.map(({ event_metadata }: FedEvent) => event_metadata.event_id), next: body.meta.next }
}

/** Within this process; the file is in a folder of the test. */
async function move(
  context: TestContext,
  from: MovingCell | undefined,
  to: MovingCell | undefined,
  { id }: Organization,
) {
  const file = join(temporaryFolder(context), 'organization')
  await moveOut(cellOf(from), id, { file, passphrase, onProgress: ignored })
  const { receipt } = await moveIn(cellOf(to), { file, passphrase, onProgress: ignored })
  const startCode = await giveUpMoved(cellOf(from), id, receipt)
  await startMoved(cellOf(to), id, startCode)
}

/** Some time after an organization was given up. */
async function purge(cell: MovingCell | undefined) {
  const { database, clock } = cellOf(cell)
  await purgeDeletedOrganizations(database, { now: () => clock.now() + 660_000 })
}

/** The commands of the page, in their order. */
function documentedSteps(): string[][] {
  const page = readFileSync(join(repository, 'docs/operate/cells.md'), 'utf8')
  return [...page.matchAll(/^signet (move (?:out|in|give-up|start) .+)$/gm)].map(([, line = '']) => line.split(' '))
}

test('An invitation to the console that is open is so at the next cell, and at that alone', async (context) => {
  const organization = await at(former).organization()
  const ask = (path: string, body: object, method = 'POST') => at(former).as(organization, method, path, body)
  await ask('/groups', { name: 'owners' })
  await ask('/organizations/settings', { console_access: [{ group: 'owners', role: 'owner' }] }, 'PATCH')
  const { body } = await ask('/organizations/console-invitations', { group: 'owners' })
  const token = body.result.url.split('#')[1]
  const open = (cell: MovingCell | undefined) => at(cell).call('POST', '/console/invitation', ownPage, { token })
  await move(context, former, next, organization)
  expect(await open(next)).toMatchObject({ status: 200, body: { result: { group: 'owners', roles: ['owner'] } } })
  expect((await open(former)).status).toBe(423)
})

describe('Moving an organization by the commands of docs/operate/cells.md, under writes', () => {
  test('No acknowledged write is lost, none is taken by the former cell after the mark, and everything goes on at the next one', async (context) => {
    const organization = await at(former).organization()
    const headers = { 'X-Secret': ['of the receiver'] }
    const target = { custom_headers: headers }
    await addWebhook(at(former), organization, receiver.url('/well'), ['PersonCreated_v1'], target)
    receiver.behave('/ill', { status: 500 })
    await addWebhook(at(former), organization, receiver.url('/ill'), ['PersonCreated_v1'])
    for (let count = 0; count < 5; count++) await createPerson(former, organization)
    const begin = await readFeed(former, organization, undefined, 3)
    const audited = await at(former).as(organization, 'GET', '/organizations/audit-log?limit=2')
    const keySet = await at(former).call('GET', `/organizations/${organization.id}/webhooks/verification-jwks`)

    // Four writers, who meet the cell that answers.
    const acknowledged: { id: string; by: MovingCell; begunAt: number }[] = []
    let isWriting = true
    context.onTestFinished(() => {
      isWriting = false
    })
    const others = new Set<number>()
    const write = async () => {
      let cell = former as MovingCell
      while (isWriting) {
        const begunAt = performance.now()
        const { status, body } = await createPerson(cell, organization)
        if (status === 201) acknowledged.push({ id: body.result.person_id, by: cell, begunAt })
        else {
          others.add(status)
          cell = (cell === former ? next : former) as MovingCell
          await wait(20)
        }
      }
    }
    const writers = Array.from({ length: 4 }, write)
    await wait(300)

    const file = join(temporaryFolder(context), 'acme.move')
    const steps = documentedSteps()
    expect(steps.map(([, step]) => step)).toEqual(['out', 'in', 'give-up', 'start'])
    const given: Record<string, string> = { $ORGANIZATION: organization.id, 'acme.move': file }
    let markedAt = Infinity
    for (const step of steps) {
      const cell = (step[1] === 'out' || step[1] === 'give-up' ? former : next) as MovingCell
      const command = startCommand(
        context,
        // In a pipe only `--json` has progress.
        [...step.map((word) => given[word] ?? word), ...(step[1] === 'out' ? ['--json'] : [])],
        cell.settings,
      )
      if (step[1] === 'out') {
        await command.says(/Marked/)
        markedAt = performance.now()
      }
      expect([await command.ended, command.output()]).toEqual([0, expect.any(String)])
      if (step[1] === 'out') expect(statSync(file).mode & 0o777).toBe(0o600)
      const printed = /^(Receipt|Start code): (\w+)$/m.exec(command.output())
      if (printed) given[`$${printed[1]?.toUpperCase().replace(' ', '_')}`] = printed[2] ?? ''
      if (step[1] === 'in') expect(existsSync(file)).toBe(false)
    }
    await wait(500)
    isWriting = false
    await Promise.all(writers)

    // A request that was under way at the mark may be answered, one that begins later is not.
    const late = acknowledged.filter((each) => each.by === former && each.begunAt > markedAt)
    expect(late).toEqual([])
    // Before the import the next cell does not know the organization.
    expect([...others].sort()).toEqual([401, 423])
    expect(acknowledged.some((each) => each.by === next)).toBe(true)

    // Persons and feed: nothing is missing, nothing comes twice, and the old cursor goes on.
    const { body: persons } = await at(next).as(organization, 'GET', '/persons?limit=1000')
    const known = new Set(persons.result.map((person: { person_id: string }) => person.person_id))
    expect(acknowledged.filter(({ id }) => !known.has(id))).toEqual([])
    const whole = await readFeed(next, organization)
    const rest = await readFeed(next, organization, begin.next)
    expect([...begin.ids, ...rest.ids]).toEqual(whole.ids)
    expect([new Set(whole.ids).size, whole.ids.length]).toEqual([known.size, known.size])
    const further = await at(next).as(
      organization,
      'GET',
      `/organizations/audit-log?limit=1000&after=${audited.body.meta.next}`,
    )
    const actions = (await at(next).as(organization, 'GET', '/organizations/audit-log?limit=1000')).body.result
    expect(actions.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['moveOrganizationOut', 'moveOrganizationIn', 'startMovedOrganization']),
    )
    expect(actions.slice(-further.body.result.length)).toEqual(further.body.result)

    // Deliveries: those that failed at the former cell arrive once from the next one, those that had arrived do not come again.
    receiver.behave('/ill', { status: 200 })
    const before = receiver.received('/ill').length
    const events = new Set(whole.ids)
    const subjects = (path: string, from = 0) =>
      receiver
        .received(path)
        .slice(from)
        .map(({ body }) => String(claimsOf(body).sub))
    await expect.poll(() => new Set(subjects('/ill', before)).size, { timeout: 15_000 }).toBe(events.size)
    expect(subjects('/ill', before)).toHaveLength(events.size)
    await expect.poll(() => new Set(subjects('/well')).size, { timeout: 10_000 }).toBe(events.size)
    expect(subjects('/well')).toHaveLength(events.size)
    expect(receiver.received('/well').at(-1)?.headers['x-secret']).toBe('of the receiver')
    expect((await at(next).call('GET', `/organizations/${organization.id}/webhooks/verification-jwks`)).body).toEqual(
      keySet.body,
    )

    // The former cell, also once everything is removed there.
    await purge(former)
    const moved = await createPerson(former, organization)
    expect([moved.status, moved.headers.get('retry-after')]).toEqual([423, null])
    expect((await at(former).call('GET', `/oidc/${organization.id}/jwks`)).status).toBe(423)
  })
})

describe('A move that breaks', () => {
  test('A killed command is run again, and goes on', async (context) => {
    const organization = await at(former).organization()
    await createPerson(former, organization)
    const file = join(temporaryFolder(context), 'organization')
    const interrupt = async (cell: MovingCell | undefined, args: string[], when: RegExp) => {
      const command = startCommand(context, [...args, '--json'], (cell as MovingCell).settings)
      await command.says(when)
      process.kill(-command.pid, 'SIGKILL')
      await command.ended
    }
    await interrupt(former, ['move', 'out', organization.id, file], /Marked/)
    expect((await createPerson(former, organization)).status).toBe(423)
    await moveOut(cellOf(former), organization.id, { file, passphrase, onProgress: ignored })
    await copyFile(file, `${file}.kept`)
    await interrupt(next, ['move', 'in', file], /Rows imported/)
    if (!existsSync(file)) await copyFile(`${file}.kept`, file)
    const { receipt } = await moveIn(cellOf(next), { file, passphrase, onProgress: ignored })
    expect((await createPerson(next, organization)).status).toBe(423)
    for (let run = 0; run < 2; run++) {
      const startCode = await giveUpMoved(cellOf(former), organization.id, receipt)
      await startMoved(cellOf(next), organization.id, startCode)
    }
    expect((await createPerson(next, organization)).status).toBe(201)
    const ofAnotherImport = `${receipt.slice(0, 32)}${'0'.repeat(32)}`
    await expect(giveUpMoved(cellOf(former), organization.id, ofAnotherImport)).rejects.toThrow('another import')
    await copyFile(`${file}.kept`, file)
    await expect(moveIn(cellOf(former), { file, passphrase, onProgress: ignored })).rejects.toThrow('very move')
    await expect(undoMove(cellOf(former), organization.id)).rejects.toThrow('was given up here')
  })

  test('An undone move leaves the former cell as it was, and nothing at the next one that could serve', async (context) => {
    const organization = await at(former).organization()
    receiver.behave('/undone', { status: 500 })
    await addWebhook(at(former), organization, receiver.url('/undone'), ['PersonCreated_v1'])
    await createPerson(former, organization)
    const file = join(temporaryFolder(context), 'organization')
    await moveOut(cellOf(former), organization.id, { file, passphrase, onProgress: ignored })
    const refused = await createPerson(former, organization)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([423, '5'])
    const listed = await at(former).operate('GET', `/organizations?id=${organization.id}`)
    expect(listed.body.result).toEqual([expect.objectContaining({ state: 'moving' })])
    expect((await at(former).operate('PATCH', `/organizations/${organization.id}`, { name: 'x' })).status).toBe(423)
    expect((await at(former).call('GET', `/organizations/${organization.id}/webhooks/verification-jwks`)).status).toBe(
      200,
    )
    await moveIn(cellOf(next), { file, passphrase, onProgress: ignored })
    await expect(startMoved(cellOf(next), organization.id, '0'.repeat(64))).rejects.toThrow('start code: is not')
    await expect(giveUpMoved(cellOf(former), organization.id, '0'.repeat(64))).rejects.toThrow('receipt: is not')
    expect(await undoMove(cellOf(former), organization.id)).toBe('served')
    await expect(undoMove(cellOf(next), organization.id)).rejects.toThrow('--not-given-up')
    expect(await undoMove(cellOf(next), organization.id, { isNotGivenUp: true })).toBe('removed')
    expect((await createPerson(next, organization)).status).toBe(401)
    receiver.behave('/undone', { status: 200 })
    expect((await createPerson(former, organization)).status).toBe(201)
    const { body } = await at(former).operate('GET', `/organizations?id=${organization.id}`)
    expect(body.result).toEqual([expect.objectContaining({ state: 'active' })])
    const delivered = () => new Set(receiver.received('/undone').map(({ body }) => claimsOf(body).sub)).size
    await expect.poll(delivered, { timeout: 10_000 }).toBe(2)
  })

  test('Of a database that was restored during a move, the move is undone, and webhooks stay paused for the restore', async (context) => {
    const organization = await at(former).organization()
    const webhook = await addWebhook(at(former), organization, receiver.url('/restored'), ['PersonCreated_v1'])
    const file = join(temporaryFolder(context), 'organization')
    await moveOut(cellOf(former), organization.id, { file, passphrase, onProgress: ignored })
    const { database } = cellOf(former)
    await database.transaction((tx) =>
      tx.rows(sql`update lanes set is_restored = true where org_id = ${organization.id}`),
    )
    expect(await undoMove(cellOf(former), organization.id)).toBe('served')
    const { body } = await at(former).as(organization, 'GET', `/organizations/webhooks/${webhook}`)
    expect(body.result).toMatchObject({ enabled: false, paused_reason: 'restored' })
  })

  test('What a frozen process was delivering without a row in the queue moves as what is to be delivered', async (context) => {
    const organization = await at(former).organization()
    const webhook = await addWebhook(at(former), organization, receiver.url('/dead'), ['PersonCreated_v1'])
    const { database, clock } = cellOf(former)
    const [worker, event] = [makeId(clock.now()), firstIdAt(clock.now() - 26_000)]
    await database.write.rows(sql`
      with said as (
        insert into unqueued_since (worker_id, event_id, seen_at, is_busy) values (${worker}, ${event}, now(), true)
      )
      insert into events (org_id, id, name, payload, position, claimed_by, claimed_for)
      values (${organization.id}, ${event}, 'PersonCreated_v1', '{}', nextval('positions'), ${worker}, array[${webhook}::uuid])`)
    const file = join(temporaryFolder(context), 'organization')
    await database.transaction(async (tx) => {
      // As a process that lives: none of the former cell takes over.
      await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended(${worker}::uuid::text, 0))`)
      await moveOut(cellOf(former), organization.id, { file, passphrase, onProgress: ignored })
    })
    await moveIn(cellOf(next), { file, passphrase, onProgress: ignored })
    const moved = await cellOf(next).database.write.rows(sql`
      select d.webhook_id, d.event_id, d.is_leased, e.claimed_by
        from deliveries d join events e on e.id = d.event_id where d.org_id = ${organization.id}`)
    expect(moved).toEqual([{ webhook_id: webhook, event_id: event, is_leased: false, claimed_by: null }])
  })

  test('Expired sessions of a moving organization are swept with their grants, and no session is signed out', async (context) => {
    const organization = await at(former).organization()
    const { body } = await createPerson(former, organization)
    const { database, clock } = cellOf(former)
    const personId = body.result.person_id
    for (const [uid, expires] of [
      ['past', '-1 hour'],
      ['live', '1 hour'],
    ] as const) {
      await database.write.rows(sql`
        insert into issuer_sessions (org_id, uid, id_hash, person_id, credential_id, authentications, payload, expires_at)
        values (${organization.id}, ${uid}, sha256(${uid}::text::bytea), ${personId}, gen_random_uuid(), '[]', '{}',
                now() + ${expires}::interval)`)
      await database.write.rows(sql`
        insert into issuer_grants (org_id, id, person_id, session_uid, payload, claims, authenticated_methods, expires_at)
        values (${organization.id}, ${uid}, ${personId}, ${uid}, '{}', '{}', '{}', now() + interval '1 hour')`)
    }
    const file = join(temporaryFolder(context), 'organization')
    await moveOut(cellOf(former), organization.id, { file, passphrase, onProgress: ignored })
    await sweepExpired(database.write, clock, new AbortController().signal)
    const left = sql`select id from issuer_grants where org_id = ${organization.id}`
    expect(await database.write.rows(left)).toEqual([{ id: 'live' }])
    const signOut = sql`delete from issuer_sessions where org_id = ${organization.id}`
    await expect(database.write.rows(signOut)).rejects.toThrow('is moving to another cell')
    await undoMove(cellOf(former), organization.id)
  })

  test('A file that is cut off or longer, or that another passphrase sealed, imports nothing', async (context) => {
    const organization = await at(former).organization()
    const file = join(temporaryFolder(context), 'organization')
    await moveOut(cellOf(former), organization.id, { file, passphrase, onProgress: ignored })
    const refused = (given: string) => moveIn(cellOf(next), { file, passphrase: given, onProgress: ignored })
    await expect(refused('another passphrase')).rejects.toThrow('wrong passphrase')
    appendFileSync(file, 'x')
    await expect(refused(passphrase)).rejects.toThrow('there is more behind its end')
    truncateSync(file, statSync(file).size - 23)
    await expect(refused(passphrase)).rejects.toThrow('is not complete')
    expect((await at(next).operate('GET', `/organizations?id=${organization.id}`)).body.result).toEqual([])
    await undoMove(cellOf(former), organization.id)
  })
})

test('Cursors of every stay go on after the organization has come back', async (context) => {
  const organization = await at(former).organization()
  const cursors = new Map<string, string>()
  /** The cursor after each event that there is, as this cell writes it. */
  const note = async (cell: MovingCell | undefined, stay: string) => {
    let after: string | undefined
    for (;;) {
      const page = await readFeed(cell, organization, after, 1)
      if (page.ids.length === 0) return
      cursors.set(`${stay} ${page.ids[0]}`, page.next)
      after = page.next
    }
  }
  const empty = await readFeed(former, organization)
  for (let count = 0; count < 3; count++) await createPerson(former, organization)
  await note(former, 'first')
  await move(context, former, next, organization)
  for (let count = 0; count < 2; count++) await createPerson(next, organization)
  await note(next, 'second')
  await purge(former)
  await move(context, next, former, organization)
  for (let count = 0; count < 2; count++) await createPerson(former, organization)
  const all = (await readFeed(former, organization)).ids
  expect(all).toHaveLength(7)
  for (const [name, cursor] of cursors) {
    const { ids } = await readFeed(former, organization, cursor)
    expect([name, ids]).toEqual([name, all.slice(all.indexOf(name.split(' ')[1] ?? '') + 1)])
  }
  expect(cursors.size).toBe(8)
  expect((await readFeed(former, organization, empty.next)).ids).toEqual(all)
})
