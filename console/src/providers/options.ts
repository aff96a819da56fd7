import type { CredentialOptions } from '@signet/management'
import { filledLines } from '../design/field.tsx'
import { type Provider, providers } from './providers.ts'

/** A provider's options as a form has them. */
export type Options = { scopes: string[]; tenant: string; organizationUrl: string; issuer: string }

type OwnOptions = { authorize_scopes?: string[]; tenant?: string; organization_url?: string; issuer?: string }

/** Of the scopes only those that are added: the others are requested in any case. */
export function readOptions(provider: Provider, options: CredentialOptions = {}): Options {
  const own: OwnOptions = options[provider] ?? {}
  const fixed = providers[provider].scopes
  return {
    scopes: (own.authorize_scopes ?? []).filter((scope) => !fixed.includes(scope)),
    tenant: own.tenant ?? 'common',
    organizationUrl: own.organization_url ?? '',
    issuer: own.issuer ?? '',
  }
}

/** Who signs persons in, as the interface has it. */
export function serverOptionOf(provider: Provider, options: CredentialOptions): CredentialOptions | undefined {
  const { serverOption } = providers[provider]
  const own: OwnOptions = options[provider] ?? {}
  return serverOption && { [provider]: { [serverOption]: own[serverOption] } }
}

/** As the interface takes them; those that are always requested need not be given. */
export function toOptions(provider: Provider, { scopes, tenant, organizationUrl, issuer }: Options): CredentialOptions {
  const { serverOption } = providers[provider]
  return {
    [provider]: {
      authorize_scopes: filledLines(scopes),
      ...(serverOption === 'tenant' && { tenant: tenant.trim() }),
      ...(serverOption === 'organization_url' && { organization_url: organizationUrl.trim() }),
      ...(serverOption === 'issuer' && { issuer: issuer.trim() }),
    },
  }
}

/** The names of the fields, as refusals name them. */
export const optionFields = (provider: Provider) =>
  ['authorize_scopes', 'tenant', 'organization_url', 'issuer'].map((option) => `options.${provider}.${option}`)
