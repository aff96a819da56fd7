import { defineConfig } from 'vitest/config'

/** `npm run test:clients`: with programs of Debian, so it is no part of `npm test`. */
export default defineConfig({
  test: {
    // Whose server `globalSetup` makes.
    name: 'embedded',
    include: ['server/tests/debian-clients/*.test.ts'],
    globalSetup: 'server/tests/support/global-setup.ts',
    testTimeout: 60_000,
    // Go compiles its program first.
    hookTimeout: 180_000,
  },
})
