/**
 * Receives the webhooks of Signet: every check of 6.3 in one call, typed by what they tell, and handlers for the usual
 * servers that answer as 6.2 expects it. Web APIs and `jose`, nothing else.
 */
export type { HandlerOptions, TokenClaims } from './answer.ts'
export { deny, type Refusal } from './deny.ts'
export * from './events.ts'
export { fastifyPlugin } from './fastify-plugin.ts'
export { fetchHandler } from './fetch-handler.ts'
export { createKeySet, type KeySet, type KeySetOptions } from './key-set.ts'
export { nodeHandler } from './node-handler.ts'
export type { Authentication, TokenMinted } from './token-minted.ts'
export { type Receiver, verifyWebhook } from './verify-webhook.ts'
export type { Claims, TriggerName, Triggers, Webhook } from './webhook.ts'
export { WebhookError, type WebhookErrorCode } from './webhook-error.ts'
