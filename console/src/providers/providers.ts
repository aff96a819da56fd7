import type { Credential } from '@signet/management'

export type Provider = Credential['provider']

export type ProviderFacts = {
  name: string
  /** What sentences call it, where that is not its name. */
  called?: string
  /** Always requested. */
  scopes: readonly string[]
  /** What the provider calls them. */
  clientId: string
  clientSecret: string
  /** How to get a client there, in order. */
  steps: readonly string[]
  /** The option that names its server, or a part of it. */
  serverOption?: 'tenant' | 'organization_url' | 'issuer'
  /** What one should know before persons sign in with it. */
  note?: string
}

const openId = ['openid', 'email', 'profile']

/** The facts of each provider; docs/use/providers.md says them for those who read. */
export const providers: Record<Provider, ProviderFacts> = {
  provider_a: {
    name: 'Google',
    scopes: openId,
    clientId: 'Client ID',
    clientSecret: 'Client secret',
    steps: [
      'In the Google Cloud console, open APIs & Services, then Credentials.',
      'Create an OAuth client ID of the type Web application.',
      'Enter the callback URL under Authorized redirect URIs.',
      'Copy the client ID and the client secret, which Google shows when the client is created.',
    ],
  },
  provider_b: {
    name: 'GitHub',
    scopes: ['read:user', 'user:email'],
    clientId: 'Client ID',
    clientSecret: 'Client secret',
    steps: [
      'In GitHub, open Settings, then Developer settings, then OAuth Apps, and register a new application.',
      'Enter the whole callback URL as the authorization callback URL: GitHub also sends codes to any address below a shorter one.',
      'Copy the client ID from the page of the app.',
      'Generate a new client secret there, and copy it: GitHub shows it once.',
    ],
    note: 'An OAuth App has one callback URL, so each credential needs an app of its own. A GitHub App needs the account permission Email addresses: read.',
  },
  provider_c: {
    name: 'Bitbucket Cloud',
    scopes: ['account'],
    clientId: 'Key',
    clientSecret: 'Secret',
    steps: [
      'In Bitbucket, open the settings of the workspace, then OAuth consumers, and add a consumer.',
      'Enter the whole callback URL as its callback: Bitbucket also sends codes to any address below a shorter one.',
      'Give it the permission Account: Read, without which e-mail addresses cannot be read.',
      'Open the consumer in the list and copy its key (the client ID) and its secret.',
    ],
  },
  provider_d: {
    name: 'GitLab',
    scopes: ['read_user'],
    clientId: 'Application ID',
    clientSecret: 'Secret',
    steps: [
      'In GitLab, open Applications of a user or a group, and add an application.',
      'Enter the callback URL as its redirect URI.',
      'Leave Confidential on, and choose the scope read_user.',
      'Copy the application ID (the client ID) and the secret.',
    ],
  },
  provider_e: {
    name: 'Facebook',
    scopes: ['email', 'public_profile'],
    clientId: 'App ID',
    clientSecret: 'App secret',
    steps: [
      'In Meta for Developers, create an app with Facebook Login.',
      'In the settings of Facebook Login, enter the callback URL under Valid OAuth Redirect URIs.',
      'Allow the app the permissions email and public_profile.',
      'Open the basic settings of the app and copy the app ID (the client ID) and the app secret.',
    ],
    note: 'Facebook gives a person another ID for each app: with another app, everybody who signed in before is a new person.',
  },
  provider_f: {
    name: 'LINE',
    scopes: openId,
    clientId: 'Channel ID',
    clientSecret: 'Channel secret',
    steps: [
      'In the LINE Developers console, create a LINE Login channel of the type Web app.',
      'In its LINE Login settings, enter the callback URL under Callback URL.',
      'In its basic settings, apply for the e-mail permission, without which LINE sends no address.',
      'Copy the channel ID (the client ID) and the channel secret from the basic settings.',
    ],
    note: 'A person has one ID for all channels of one LINE provider: under another provider there, everybody who signed in before is a new person.',
  },
  provider_g: {
    name: 'Microsoft Entra ID',
    scopes: [...openId, 'User.Read'],
    clientId: 'Application (client) ID',
    clientSecret: 'Value of a client secret',
    steps: [
      'In the Microsoft Entra admin center, open App registrations and register an application. Its supported account types must match who may sign in.',
      'Add the platform Web, with the callback URL as a redirect URI.',
      'Copy the application (client) ID from the overview.',
      'Under Certificates & secrets, add a client secret and copy its value (not its secret ID), which is shown once.',
    ],
    serverOption: 'tenant',
    note: 'A client secret expires at Microsoft. Note the date: from then on nobody can sign in until the credential has a new one.',
  },
  provider_h: {
    name: 'Okta',
    scopes: openId,
    clientId: 'Client ID',
    clientSecret: 'Client secret',
    steps: [
      'In the Okta Admin Console, open Applications, and create an app integration: OIDC – OpenID Connect, Web Application.',
      'Choose the grant Authorization Code, and enter the callback URL under Sign-in redirect URIs.',
      'Assign the people or groups who may sign in.',
      'Choose the client authentication Client secret, and copy the client ID and the client secret.',
    ],
    serverOption: 'organization_url',
  },
  oidc: {
    name: 'OpenID Connect',
    called: 'the provider',
    scopes: openId,
    clientId: 'Client ID',
    clientSecret: 'Client secret',
    steps: [
      'At your provider (Keycloak, Auth0, PingOne, OneLogin, JumpCloud or another), create a confidential client for a web application, by OpenID Connect.',
      'Allow it the authorization code flow, and enter the whole callback URL as a redirect URI.',
      'Choose the client authentication by a client secret (Basic), and assign the people who may sign in.',
      'Copy the client ID and the client secret, and the issuer: it stands in the discovery document, and a closing slash belongs to it.',
    ],
    serverOption: 'issuer',
    note: "All endpoints must be on the issuer's host.",
  },
}

export const providerNames = Object.keys(providers) as Provider[]

/** Undefined: what stands in the address is no provider. */
export const asProvider = (text: string | undefined) => providerNames.find((provider) => provider === text)

/** What people call a provider of the interface; one that this console does not know keeps its word. */
export function providerName(word: string): string {
  const provider = asProvider(word)
  return provider ? providers[provider].name : word
}

/** The same within a sentence. */
export function providerInWords(word: string): string {
  const provider = asProvider(word)
  return (provider && providers[provider].called) ?? providerName(word)
}
