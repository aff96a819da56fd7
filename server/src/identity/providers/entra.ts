import { type Credential, personalTenant } from '../credentials/index.ts'
import { isTrue, readAttributes, readSubject } from './claims.ts'
import type { Connector, NamedIdentity, Server } from './connector.ts'
import { ProviderFailure } from './failure.ts'

const publicIssuer = 'https://login.microsoftonline.com/{tenant}/v2.0'
const guidForm = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
/** In the issuer of `common` and `organizations`; each tenant fills in its id. */
const placeholder = '{tenantid}'
/** Every other name of a tenant is its GUID or a domain, whose owner may change. */
const pseudoTenants = ['common', 'organizations', 'consumers']

const isGuid = (value: unknown): value is string => typeof value === 'string' && guidForm.test(value)
const fillIn = (template: string, tenant: string) => template.replace(placeholder, tenant)

export const entra: Connector = {
  tokenAuth: 'post',
  overridable: ['issuer'],
  serverOption: 'tenant',
  prompts: ['login', 'select_account'],
  parameters: ['max_age', 'login_hint'],
  locate: ({ credential, override: { issuer = publicIssuer }, discover, fetch }) => {
    const { tenant = 'common', issuer: known } = credential
    const isAllowed = (named: string) => mayBeNamed(named, issuer, tenant) && (known === undefined || named === known)
    return discover(issuer.replace('{tenant}', tenant), isAllowed, fetch)
  },
  isIssuerOpen: ({ tenant = 'common' }) => !isGuid(tenant) && !pseudoTenants.includes(tenant),
  /** A domain such as live.com names the tenant of personal accounts, and a template stands for every tenant. */
  isOfEverybody: ({ tid }, { issuer }) => tid === personalTenant || issuer.includes(placeholder),
  idToken: {
    algorithms: ['RS256'],
    areDiscovered: ({ issuer }) => issuer !== undefined,
    issuerOf: ({ tid }, server) => fillIn(server.issuer, isGuid(tid) ? tid : ''),
    brokenRule: (claims, { credential: { tenant = 'common' }, key }) =>
      (claims.ver !== '2.0' && 'ver is not 2.0') ||
      (!isGuid(claims.tid) && 'tid is no tenant') ||
      (!isOfTenant(String(claims.tid), tenant, claims.iss) && 'tid is another tenant') ||
      (key?.issuer !== undefined &&
        fillIn(key.issuer, String(claims.tid)) !== claims.iss &&
        'key is of another issuer') ||
      undefined,
  },
  /** The `iss` of a pseudo tenant may be filled in, and the library compares it with the template. */
  normalizeCallback: (parameters, server) => {
    const normalized = new URLSearchParams(parameters)
    if (isFilledIn(normalized.get('iss') ?? '', server)) normalized.set('iss', server.issuer)
    return normalized
  },
  nameIdentity,
  directoryIds: ({ tenant }, issuer) => {
    const of = isGuid(tenant) ? tenant : tenantIn(issuer)
    const prefix = `${of}:`
    return of === undefined
      ? undefined
      : {
          subjectOf: (id) => prefix + id,
          idOf: (subject) => (subject.startsWith(prefix) ? subject.slice(prefix.length) : undefined),
        }
  },
  /** `sub` differs from client to client, and the address is whatever the tenant's administrator wrote. */
  identify: async ({ claims }) => {
    if (!isGuid(claims.oid)) throw new ProviderFailure('oidc_token_invalid', 'ID token', 'oid is missing')
    return {
      subject: readSubject(`${claims.tid}:${claims.oid}`),
      ...readAttributes({ email: claims.email, emailVerified: isTrue(claims.xms_edov), profile: claims }),
    }
  },
}

/** As `identify` makes it: the tenant may be left out where the credential has one. */
async function nameIdentity(
  subject: string,
  credential: Credential,
  issuerOf: (credential: Credential) => Promise<string>,
): Promise<NamedIdentity> {
  const { tenant = 'common' } = credential
  const [oid, tid, ...more] = subject.toLowerCase().split(':').reverse()
  const own = pseudoTenants.includes(tenant) ? undefined : tenantIn(await issuerOf(credential))
  const of = tid ?? own
  const isForeign = own === undefined ? !isGuid(of) || !isOfTenant(of, tenant, '') : of !== own
  if (!isGuid(oid) || !isGuid(of) || isForeign || more.length > 0) return { rule: ruleOf(own) }
  return { subject: `${of}:${oid}`, issuer: await issuerOf({ ...credential, tenant: of, issuer: undefined }) }
}

const tenantIn = (issuer: string) => issuer.split('/').find(isGuid)

const ruleOf = (own: string | undefined) =>
  own === undefined
    ? 'must be the GUID of a tenant that the credential takes, a colon, and the object id of the person'
    : `must be the object id of the person, alone or after ${own}:`

/** A domain does not tell the id of its tenant; a pseudo tenant stands for many. */
function mayBeNamed(named: string, issuer: string, tenant: string): boolean {
  const located = issuer.replace('{tenant}', tenant)
  if (tenant === 'common' || tenant === 'organizations')
    return named === located || isFilledIn(located, { issuer: named })
  if (isGuid(tenant) || !issuer.includes('{tenant}')) return named === located
  if (tenant === 'consumers') return named === issuer.replace('{tenant}', personalTenant)
  return isFilledIn(named, { issuer: issuer.replace('{tenant}', placeholder) })
}

/** Whether `text` is the template with one path segment in place of the placeholder. */
function isFilledIn(text: string, { issuer: template }: Pick<Server, 'issuer'>): boolean {
  const [before, after, ...more] = template.split(placeholder)
  if (before === undefined || after === undefined || more.length > 0) return false
  const tenant = text.slice(before.length, text.length - after.length)
  return text === `${before}${tenant}${after}` && /^[\w.-]+$/.test(tenant)
}

/** A domain's tenant is known from its issuer. */
function isOfTenant(tid: string, tenant: string, issuer: string): boolean {
  if (tenant === 'common') return true
  if (tenant === 'organizations') return tid !== personalTenant
  if (tenant === 'consumers') return tid === personalTenant
  return isGuid(tenant) ? tid === tenant : issuer.includes(`/${tid}/`)
}
