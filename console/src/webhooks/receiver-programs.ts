import node from '../../../examples/receiver/receiver.ts?raw'
import goKeySet from '../../../examples/receivers/go/key_set.go?raw'
import goMain from '../../../examples/receivers/go/main.go?raw'
import goVerify from '../../../examples/receivers/go/verify.go?raw'
import phpKeySet from '../../../examples/receivers/php/key_set.php?raw'
import php from '../../../examples/receivers/php/receiver.php?raw'
import python from '../../../examples/receivers/receiver.py?raw'
import ruby from '../../../examples/receivers/receiver.rb?raw'

export type Program = {
  language: string
  /** What it needs besides the language. */
  needs: string
  /** How it is started, in the folder of its files. */
  command: string
  files: readonly { name: string; text: string }[]
}

/** The receivers of `examples/`, which are tested there. */
export const programs: readonly Program[] = [
  {
    language: 'Node',
    needs:
      'Node 24 or later, and the library @signet/webhooks of this repository, as docs/use/receiving-webhooks.md says.',
    command: 'node receiver.ts',
    files: [{ name: 'receiver.ts', text: node }],
  },
  {
    language: 'Python',
    needs: 'PyJWT and cryptography: apt-get install python3-jwt python3-cryptography',
    command: 'python3 receiver.py',
    files: [{ name: 'receiver.py', text: python }],
  },
  {
    language: 'Go',
    needs: 'The standard library alone.',
    command: 'go run main.go verify.go key_set.go',
    files: [
      { name: 'main.go', text: goMain },
      { name: 'verify.go', text: goVerify },
      { name: 'key_set.go', text: goKeySet },
    ],
  },
  {
    language: 'PHP',
    needs:
      'PHP 8 without libraries. Its own server speaks no TLS: in production nginx or Apache stands in front of PHP-FPM.',
    command: 'php -S 127.0.0.1:9080 receiver.php',
    files: [
      { name: 'receiver.php', text: php },
      { name: 'key_set.php', text: phpKeySet },
    ],
  },
  {
    language: 'Ruby',
    needs: 'The gems jwt and webrick: apt-get install ruby ruby-jwt ruby-webrick',
    command: 'ruby receiver.rb',
    files: [{ name: 'receiver.rb', text: ruby }],
  },
]
