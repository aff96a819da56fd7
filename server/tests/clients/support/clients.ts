import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../../support/program.ts'
import type { Client } from './client.ts'

const application = (file: string) => [process.execPath, join(import.meta.dirname, '../applications', file)]

/** Of a server, of a browser, and of a framework: what `npm test` tries. */
export const commonClients: Client[] = [
  {
    name: 'openid-client',
    command: application('openid-client.ts'),
    steps: ['refresh', 'user-info', 'revoke', 'sign-out'],
  },
  {
    name: '@auth/core',
    command: application('auth-core.ts'),
    callback: '/auth/callback/signet',
    button: 'Sign in with Signet',
    steps: [],
  },
  {
    name: 'oidc-client-ts',
    command: application('oidc-client-ts.ts'),
    fields: { confidential: false },
    steps: ['refresh', 'user-info', 'revoke', 'sign-out'],
  },
]

export const furtherClients: Client[] = [
  {
    name: 'oauth4webapi',
    command: application('oauth4webapi.ts'),
    steps: ['refresh', 'user-info', 'revoke', 'sign-out'],
  },
  {
    name: 'express-openid-connect',
    command: application('express-openid-connect.ts'),
    steps: ['refresh', 'user-info', 'sign-out'],
  },
  {
    name: 'better-auth',
    command: application('better-auth.ts'),
    callback: '/api/auth/callback/signet',
    steps: ['refresh', 'user-info', 'sign-out'],
  },
  { name: '@azure/msal-node', command: application('msal-node.ts'), steps: ['refresh'] },
  {
    name: 'passport-openidconnect',
    command: application('passport-openidconnect.ts'),
    fields: { require_pkce: false },
    withholds: ['email_verified'],
    steps: ['user-info'],
  },
  { name: 'simple-oauth2', command: application('simple-oauth2.ts'), steps: ['refresh', 'revoke'] },
  {
    name: 'grant',
    command: application('grant.ts'),
    callback: '/connect/signet/callback',
    steps: ['user-info'],
  },
  {
    name: 'openid-client-5',
    command: application('openid-client-5.ts'),
    steps: ['refresh', 'user-info', 'revoke', 'sign-out'],
  },
  {
    name: '@badgateway/oauth2-client',
    command: application('badgateway-oauth2-client.ts'),
    steps: ['refresh', 'revoke'],
  },
  {
    name: '@fastify/oauth2',
    command: application('fastify-oauth2.ts'),
    steps: ['refresh', 'user-info', 'revoke'],
  },
  { name: '@hapi/bell', command: application('hapi-bell.ts'), steps: ['user-info'] },
  { name: 'passport-oauth2', command: application('passport-oauth2.ts'), steps: ['user-info'] },
  { name: 'arctic', command: application('arctic.ts'), steps: ['refresh', 'revoke'] },
]

/** As it is installed. */
export function versionOf({ name }: Client): string {
  return JSON.parse(readFileSync(join(repository, 'node_modules', name, 'package.json'), 'utf8')).version
}
