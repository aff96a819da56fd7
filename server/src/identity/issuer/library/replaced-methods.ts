import type Provider from 'oidc-provider'
import type { Client } from 'oidc-provider'
import type { Clock } from '../../../ground/runtime/clock.ts'
import { type ClientSecret, isClientSecret } from '../../applications/index.ts'
import { isRegistered } from './redirect-uri.ts'
import { unitOfWork } from './unit-of-work.ts'

const isPublic = ({ clientAuthMethod }: Client) => clientAuthMethod === 'none'

const listed = (uris: unknown) => (uris ?? []) as string[]

/**
 * `applications` decides which redirect URIs are registered, and how a secret is compared. Every ID token names the session: an application
 * that registers for sign-outs later has its sessions named already.
 */
export function followApplications({ Client: { prototype } }: Provider, clock: Clock) {
  prototype.redirectUriAllowed = function (uri) {
    return isRegistered(uri, listed(this.registered_uris), isPublic(this))
  }
  prototype.postLogoutRedirectUriAllowed = function (uri) {
    return isRegistered(uri, listed(this.registered_sign_out_uris), isPublic(this))
  }
  prototype.includeSid = () => true
  prototype.compareClientSecret = function (secret) {
    return isClientSecret(secret, (this.client_secrets ?? []) as ClientSecret[], clock)
  }
}

/**
 * The library drops claims that its configuration does not name. Those of hooks may have any name that is not protected, and of these
 * their word wins over a provider's: that is how a customer corrects a name.
 */
export function addHookClaims({ Claims: { prototype } }: Provider) {
  const { result } = prototype
  prototype.result = async function () {
    const hookClaims = unitOfWork().token?.claims ?? {}
    return { ...(await result.call(this)), ...hookClaims }
  }
}
