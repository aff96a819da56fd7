import { decodeJwt } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { application as applicationUrl, openBrowser } from '../support/browser.ts'
import { as, closeSignIns, newTenant, openSignIns, other, service, signIns, tenant } from '../support/own-sign-ins.ts'
import { providers } from '../support/sign-ins.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(() => newTenant())

const everything = 'openid email profile phone offline_access'
const profile = {
  name: 'Ann Smith',
  given_name: 'Ann',
  family_name: 'Smith',
  preferred_username: 'ann@corp.example',
  picture: 'https://pictures.example/ann.png',
  locale: 'de-CH',
}
const members = Object.keys(profile)
/** Google's word counts for an address of a domain that it hosts. */
const account = (sub: string, email?: string, more: object = {}) => ({
  sub,
  ...(email && { email, email_verified: true, hd: 'corp.example' }),
  ...more,
})

type Claims = Record<string, unknown>

async function signInAs(person: object, params: Record<string, string> = {}) {
  const { application } = tenant
  const begun = await application.begin({ scope: everything, idp: 'signet', ...params })
  const { url, html } = await openBrowser(() => service.baseUrl).go(begun.url, { person })
  if (!url.startsWith(applicationUrl) || !url.includes('code=')) throw new Error(`no sign-in: ${url} ${html}`)
  return application.exchange(begun, url)
}

/** What ID token, user info and a refreshed ID token say, which is the same while nobody else comes. */
async function comeAs(person: object, params: Record<string, string> = {}) {
  const { application } = tenant
  const tokens = await signInAs(person, params)
  let refreshToken = tokens.refresh_token ?? ''
  const later = async (): Promise<Claims> => {
    const refreshed = await application.refresh(refreshToken)
    refreshToken = refreshed.refresh_token ?? ''
    const claims = toldOf(decodeJwt(refreshed.id_token ?? ''))
    expect(toldOf(await application.userInfo(refreshed.access_token))).toEqual(claims)
    return claims
  }
  const claims = toldOf(decodeJwt(tokens.id_token ?? ''))
  expect(toldOf(await application.userInfo(tokens.access_token))).toEqual(claims)
  return { sub: decodeJwt(tokens.id_token ?? '').sub as string, claims, later }
}

const told = [...members, 'updated_at', 'email', 'email_verified', 'phone_number', 'phone_number_verified']
const toldOf = (claims: object): Claims =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => told.includes(name)))

const handlesOf = async (personId: string) =>
  (await as('GET', `/persons/${personId}`)).body.result.handles.map(
    ({ value, verified }: { value: string; verified: boolean }) => [value, verified],
  )
const mail = (value: string, verified?: boolean) => ({
  type: 'EmailAddress',
  value,
  ...(verified !== undefined && { verified }),
})
const newPerson = async (...handles: object[]) =>
  (await as('POST', '/persons', { handles })).body.result.person_id as string
const add = (personId: string, subject: string, oauth_client_id = 'signet') =>
  as('POST', `/persons/${personId}/identities`, { oauth_client_id, subject })
const addOkta = () => tenant.addCredential(providers.okta, other)
const okta = { idp: other.client_id }

/** The versions of the rows, which change with each write. */
async function versions() {
  const of = (table: string) =>
    `select '${table}' as table, ctid::text, xmin::text, xmax::text from ${table} where org_id = $1`
  const text = ['identities', 'handles', 'vouchers', 'persons'].map(of).join(' union all ')
  const { rows } = await signIns.inside.query(`${text} order by 1, 2`, [tenant.organization.id])
  return rows.map(({ xmax: _, ...row }) => row)
}

describe('What a provider says of a person', () => {
  test('Every member of a profile is a claim of the scope profile, as it is said now, and gone once it is not said any more', async () => {
    const { sub, claims, later } = await comeAs(account('w-1', 'ann@corp.example', profile))
    const seconds = { updated_at: expect.any(Number) }
    expect(claims).toEqual({ ...profile, ...seconds, email: 'ann@corp.example', email_verified: true })
    for (const member of members) {
      const changed = { ...profile, [member]: member === 'picture' ? 'https://pictures.example/2.png' : 'other' }
      await comeAs(account('w-1', 'ann@corp.example', changed))
      expect(await later()).toMatchObject(changed)
      const { [member]: _, ...withdrawn } = { ...profile } as Record<string, string>
      expect((await comeAs(account('w-1', 'ann@corp.example', withdrawn))).sub).toBe(sub)
      const said = await later()
      expect(said).toMatchObject(withdrawn)
      expect(said).not.toHaveProperty(member)
    }
    await comeAs(account('w-1'))
    expect(await later()).toEqual(seconds)
    expect(await handlesOf(sub)).toEqual([])
  })

  test.each(members)('A member %s that is no such thing is as though it were not said', async (member) => {
    const tooLong = member === 'picture' ? `https://pictures.example/${'a'.repeat(2_048)}` : 'a'.repeat(201)
    for (const value of [null, 7, true, {}, ['x'], '', ' ', 'a\u0000b', 'a\nb', 'a\u202eb', 'a\u200fb', tooLong]) {
      const { claims } = await comeAs(account('w-1', 'ann@corp.example', { ...profile, [member]: value }))
      expect(claims).toMatchObject({ email: 'ann@corp.example', email_verified: true })
      expect(claims).not.toHaveProperty(member)
      for (const other of members) if (other !== member) expect(claims).toHaveProperty(other)
    }
  })

  test.each([
    ['no text', 7],
    ['nothing', null],
    ['no address', 'ann'],
    ['two addresses', 'ann@corp.example, bob@corp.example'],
    ['an address with a control character', 'ann\u0000@corp.example'],
    ['an address that turns the direction', 'ann\u202e@corp.example'],
    ['one of 255 characters', `${'a'.repeat(64)}@${'b'.repeat(186)}.com`],
  ])('An address that is %s is none, and the person comes in', async (_, email) => {
    const { sub, claims } = await comeAs({ sub: 'w-1', email, email_verified: true, hd: 'corp.example', name: 'Ann' })
    expect(claims).toEqual({ name: 'Ann', updated_at: expect.any(Number) })
    expect(await handlesOf(sub)).toEqual([])
  })

  test('A sign-in that says the same writes no row, and updated_at stays', async () => {
    const person = account('w-1', 'ann@corp.example', profile)
    const first = await comeAs(person)
    const before = await versions()
    const again = await comeAs(person)
    expect(await versions()).toEqual(before)
    expect(again.claims.updated_at).toBe(first.claims.updated_at)
    await comeAs({ ...person, name: 'Ann Jones' })
    expect(await versions()).not.toEqual(before)
  })

  test('Without the scopes nothing of it is said, and discovery names the claims', async () => {
    const { application } = tenant
    const claims = await application.signIn(tenant.browser, { person: account('w-1', 'ann@corp.example', profile) })
    expect(toldOf(claims)).toEqual({})
    const found = await fetch(`${service.baseUrl}/oidc/${tenant.organization.id}/.well-known/openid-configuration`)
    const { claims_supported } = (await found.json()) as { claims_supported: string[] }
    expect(claims_supported).toEqual(expect.arrayContaining(told))
  })
})

describe('The address of a person', () => {
  test('It is what the provider said last, and passes to another account that the provider names by it', async () => {
    const first = await comeAs(account('w-1', 'sales@corp.example'))
    for (const address of ['ann@corp.example', 'zoe@corp.example']) {
      const { claims } = await comeAs(account('w-1', address))
      expect(claims).toMatchObject({ email: address, email_verified: true })
      expect(await first.later()).toMatchObject({ email: address, email_verified: true })
      expect(await handlesOf(first.sub)).toEqual([[address, true]])
    }
    const second = await comeAs(account('w-2', 'sales@corp.example'))
    expect(second.sub).not.toBe(first.sub)
    expect(second.claims).toMatchObject({ email: 'sales@corp.example', email_verified: true })
  })

  test('Of two accounts with one address, the later one has it, until the earlier one comes again', async () => {
    const shared = 'info@corp.example'
    const [one, two] = [await comeAs(account('w-1', shared)), await comeAs(account('w-2', shared))]
    expect(await one.later()).toMatchObject({ email: shared, email_verified: false })
    expect(await two.later()).toMatchObject({ email: shared, email_verified: true })
    expect([await handlesOf(one.sub), await handlesOf(two.sub)]).toEqual([[], [[shared, true]]])
    await comeAs(account('w-1', shared))
    expect(await two.later()).toMatchObject({ email: shared, email_verified: false })
    expect([await handlesOf(one.sub), await handlesOf(two.sub)]).toEqual([[[shared, true]], []])
  })

  test('Where an admin key vouched for it as another person’s, it stays theirs, and each claim is its own provider’s', async () => {
    const shared = 'info@corp.example'
    const owner = await newPerson(mail(shared, true))
    const one = await comeAs(account('w-1', shared))
    const two = await comeAs(account('w-2', shared))
    expect(await one.later()).toMatchObject({ email: shared, email_verified: false })
    expect(two.claims).toMatchObject({ email: shared, email_verified: true })
    expect(await handlesOf(owner)).toEqual([[shared, true]])
    const before = await versions()
    await comeAs(account('w-2', shared))
    expect(await versions()).toEqual(before)
  })

  test('One that the provider does not confirm is said so, and an admin key can vouch for it', async () => {
    const person = { sub: 'w-1', email: 'ann@corp.example', email_verified: false }
    const { sub, claims, later } = await comeAs(person)
    expect(claims).toMatchObject({ email: person.email, email_verified: false })
    expect(await handlesOf(sub)).toEqual([])
    await as('PATCH', `/persons/${sub}`, { handles: [mail('Ann@Corp.example')] })
    expect(await later()).toMatchObject({ email: person.email, email_verified: false })
    await as('PATCH', `/persons/${sub}`, { handles: [mail('Ann@Corp.example', true)] })
    expect(await later()).toMatchObject({ email: person.email, email_verified: true })
    await as('PATCH', `/persons/${sub}`, { handles: [] })
    await newPerson(mail(person.email, true))
    expect(await later()).toMatchObject({ email: person.email, email_verified: false })
  })

  test('An identity without one says a handle for which somebody vouches, and no other', async () => {
    const { sub, claims, later } = await comeAs(account('w-1'))
    expect(claims).not.toHaveProperty('email')
    await as('PATCH', `/persons/${sub}`, { handles: [mail('unsure@corp.example')] })
    expect(await later()).not.toHaveProperty('email')
    await as('PATCH', `/persons/${sub}`, { handles: [mail('unsure@corp.example'), mail('sure@corp.example', true)] })
    expect(await later()).toMatchObject({ email: 'sure@corp.example', email_verified: true })
  })

  test('After 25 changes it is the last one, and the person has one handle', async () => {
    let sub = ''
    for (let n = 0; n < 25; n++) {
      const come = await comeAs(account('w-1', `ann-${n}@corp.example`))
      expect(come.claims).toMatchObject({ email: `ann-${n}@corp.example`, email_verified: true })
      sub = come.sub
    }
    expect(await handlesOf(sub)).toEqual([['ann-24@corp.example', true]])
  })

  test('The bound of handles keeps no sign-in out, and no address from the application', async () => {
    const { sub } = await comeAs(account('w-1', 'ann@corp.example'))
    const handles = Array.from({ length: 20 }, (_, n) => mail(`${n}@corp.example`))
    await as('PATCH', `/persons/${sub}`, { handles })
    const { claims } = await comeAs(account('w-1', 'zoe@corp.example'))
    expect(claims).toMatchObject({ email: 'zoe@corp.example', email_verified: true })
    expect(await handlesOf(sub)).toHaveLength(20)
    const before = await versions()
    await comeAs(account('w-1', 'zoe@corp.example'))
    expect(await versions()).toEqual(before)
  })

  test('What a key wrote stays when the provider names another one, and what an admin key vouched for stays vouched for', async () => {
    const { sub } = await comeAs(account('w-1', 'ann@corp.example'))
    await as('PATCH', `/persons/${sub}`, { handles: [mail('ann@corp.example')] })
    expect(await handlesOf(sub)).toEqual([['ann@corp.example', true]])
    await comeAs(account('w-1', 'zoe@corp.example'))
    expect(await handlesOf(sub)).toEqual([
      ['ann@corp.example', false],
      ['zoe@corp.example', true],
    ])
    await as('PATCH', `/persons/${sub}`, { handles: [mail('zoe@corp.example', true)] })
    await comeAs(account('w-1'))
    expect(await handlesOf(sub)).toEqual([['zoe@corp.example', true]])
  })

  test('An address that can be no handle is said as the provider says it', async () => {
    for (const sub of ['w-1', 'w-2']) {
      const { claims } = await comeAs(account(sub, 'ann..smith@corp.example'))
      expect(claims).toMatchObject({ email: 'ann..smith@corp.example', email_verified: true })
    }
    const before = await versions()
    await comeAs(account('w-2', 'ann..smith@corp.example'))
    expect(await versions()).toEqual(before)
  })
})

describe('A person with two identities', () => {
  test('Each session says what its own provider says, and an identity that goes takes what it said along', async () => {
    await addOkta()
    const google = await comeAs(account('w-1', 'ann@corp.example', { ...profile, name: 'Ann of Google' }))
    expect((await add(google.sub, 'o-1', other.client_id)).status).toBe(201)
    const own = await comeAs({ sub: 'o-1', email: 'ann@own.example', name: 'Ann of Okta' }, okta)
    expect(own.sub).toBe(google.sub)
    expect(own.claims).toEqual({
      email: 'ann@own.example',
      email_verified: false,
      name: 'Ann of Okta',
      updated_at: expect.any(Number),
    })
    expect(await google.later()).toMatchObject({ email: 'ann@corp.example', name: 'Ann of Google' })
    const [first] = (await as('GET', `/persons/${own.sub}/identities`)).body.result
    await as('DELETE', `/persons/${own.sub}/identities/${first.id}`)
    expect(await handlesOf(own.sub)).toEqual([])
  })

  test('A handle is vouched for while one of those who vouched for it does', async () => {
    const lent = await comeAs(account('w-1', 'ann@corp.example'))
    await as('PATCH', `/persons/${lent.sub}`, { handles: [mail('ann@corp.example', true)] })
    await comeAs(account('w-1', 'zoe@corp.example'))
    expect(await handlesOf(lent.sub)).toContainEqual(['ann@corp.example', true])
    await comeAs(account('w-1', 'ann@corp.example'))
    const { rows } = await signIns.inside.query('select kind from vouchers where org_id = $1 order by 1', [
      tenant.organization.id,
    ])
    expect(rows.map(({ kind }) => kind)).toEqual(['identity', 'key'])
    const [identity] = (await as('GET', `/persons/${lent.sub}/identities`)).body.result
    await as('DELETE', `/persons/${lent.sub}/identities/${identity.id}`)
    expect(await handlesOf(lent.sub)).toEqual([['ann@corp.example', true]])
  })
})

describe('Two sign-ins at once', () => {
  const confirmed = async () => {
    const { rows } = await signIns.inside.query(
      `select i.subject, i.email, i.email_verified as verified, h.value as handle
         from identities i left join vouchers v on v.org_id = i.org_id and v.identity_id = i.id
         left join handles h on h.org_id = v.org_id and h.type = v.type and h.key = v.key and h.person_id = i.person_id
        where i.org_id = $1 order by 1`,
      [tenant.organization.id],
    )
    return rows
  }
  const isWaiting = async () => {
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    return (await signIns.inside.query(waiting)).rows.length > 0
  }
  const deadlocks = async () =>
    (await signIns.inside.query('select deadlocks from pg_stat_database where datname = current_database()')).rows[0]
      .deadlocks

  test('Accounts that swap their addresses at the same time end with one address each, or none, without a deadlock', async () => {
    const before = await deadlocks()
    const addresses = ['a', 'b', 'c'].map((name) => `${name}@corp.example`)
    for (let turn = 0; turn < 6; turn++) {
      await Promise.all(['w-1', 'w-2', 'w-3'].map((sub, n) => signInAs(account(sub, addresses[(n + turn) % 3]))))
      const rows = await confirmed()
      expect(rows.map(({ email }) => email).sort()).toEqual(addresses)
      for (const { email, verified, handle } of rows) expect(handle).toBe(verified ? email : null)
    }
    expect(await deadlocks()).toBe(before)
  })

  test('Of eight accounts that come with one address at the same time, one has it', async () => {
    const subjects = Array.from({ length: 8 }, (_, n) => `w-${n}`)
    await Promise.all(subjects.map((sub) => signInAs(account(sub, 'info@corp.example'))))
    const rows = await confirmed()
    expect(rows.filter(({ verified }) => verified)).toHaveLength(1)
    expect(rows.filter(({ handle }) => handle !== null)).toHaveLength(1)
  })

  test('A handle whose last two vouchers end at the same time goes, and another account can bring it', async () => {
    const { sub } = await comeAs(account('w-1', 'ann@corp.example'))
    const of = tenant.organization.id
    await signIns.inside.query(
      `with second as (
         insert into identities (org_id, id, person_id, provider, issuer, subject, credential_id, created_at)
         select org_id, gen_random_uuid(), person_id, 'provider_h', 'https://corp.example', 'w-1', credential_id, now()
           from identities where org_id = $1 returning org_id, id
       )
       insert into vouchers (org_id, type, key, kind, identity_id)
       select org_id, 'EmailAddress', 'ann@corp.example', 'identity', id from second`,
      [of],
    )
    const clients = [new pg.Client(signIns.connection), new pg.Client(signIns.connection)] as const
    for (const client of clients) {
      await client.connect()
      await client.query('begin')
    }
    const end = `delete from vouchers v using identities i
      where v.org_id = $1 and i.org_id = v.org_id and i.id = v.identity_id and i.provider = $2`
    await clients[0].query(end, [of, 'provider_a'])
    let hasEnded = false
    const ending = clients[1].query(end, [of, 'provider_h']).then(() => (hasEnded = true))
    await expect.poll(async () => hasEnded || (await isWaiting())).toBe(true)
    await clients[0].query('commit')
    await ending
    await clients[1].query('commit')
    for (const client of clients) await client.end()
    expect(await handlesOf(sub)).toEqual([])
    const other = await comeAs(account('w-2', 'ann@corp.example'))
    expect(await handlesOf(other.sub)).toEqual([['ann@corp.example', true]])
  })

  test('A sign-in and the removal of its identity at the same time leave no voucher of an identity that is gone', async () => {
    for (let turn = 0; turn < 4; turn++) {
      const { sub } = await comeAs(account('w-1', 'ann@corp.example'))
      const [identity] = (await as('GET', `/persons/${sub}/identities`)).body.result
      await Promise.allSettled([
        comeAs(account('w-1', `zoe-${turn}@corp.example`)),
        as('DELETE', `/persons/${sub}/identities/${identity.id}`),
      ])
      expect(await handlesOf(sub)).toEqual([])
    }
  })
})
