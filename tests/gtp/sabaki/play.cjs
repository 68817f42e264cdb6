// Play a whole 9x9 game with an engine through Sabaki's own GTP library, and print what happened as JSON.
//
//     node play.cjs COMMAND [ARGUMENT ...]
//
// Black's moves are asked for with genmove_analyze, as Sabaki does, White's with genmove. Then an analysis is
// stopped the way Sabaki stops one, and the library's state tracker takes the game back to its third move.

const {Controller, ControllerStateTracker} = require('@sabaki/gtp')

// Sabaki's reading of an analysis line (src/modules/enginesyncer.js): what it cannot read, it does not show.
function readAnalysis(line) {
  return line
    .split(/\s*info\s+/)
    .slice(1)
    .map(text => text.trim())
    .filter(text => /(pass|[A-Za-z]\d+)(\s+(pass|[A-Za-z]\d+))*$/.test(text))
    .map(text => {
      let [fields, pv] = text.split(' pv ')
      let words = fields.split(/\s+/)
      let found = {pv: pv.split(/\s+/)}
      for (let i = 0; i < words.length; i += 2) found[words[i]] = words[i + 1]
      return found
    })
}

async function main([path, ...args]) {
  let controller = new Controller(path, args)
  let tracker = new ControllerStateTracker(controller)
  let errors = []
  controller.on('stderr', ({content}) => errors.push(content))
  controller.start()

  let send = async (name, ...rest) => {
    let response = await controller.sendCommand({name, args: rest})
    if (response.error) throw new Error(`${name} ${rest.join(' ')}: ${response.content}`)
    return response.content
  }

  let [name, version, protocol, commands] = await Promise.all(
    ['name', 'version', 'protocol_version', 'list_commands'].map(command => send(command))
  )
  await Promise.all([send('boardsize', '9'), send('komi', '7.5'), send('clear_board')])

  let moves = []
  let analysisLines = 0
  let variations = 0
  let example = ''
  let passes = 0
  let resigned = false

  while (passes < 2 && !resigned && moves.length < 250) {
    let black = moves.length % 2 === 0
    let vertex = null
    if (black) {
      await controller.sendCommand({name: 'genmove_analyze', args: ['B', '5']}, ({line}) => {
        if (line.startsWith('info ')) {
          analysisLines++
          variations += readAnalysis(line).length
          example = line
        } else if (line.startsWith('play ')) {
          vertex = line.slice(5).trim()
        }
      })
    } else {
      vertex = await send('genmove', 'W')
    }
    if (vertex == null) throw new Error('genmove_analyze ended without a move')
    moves.push(vertex)
    passes = vertex === 'pass' ? passes + 1 : 0
    resigned = vertex === 'resign'
  }

  // Sabaki stops an analysis by asking for the protocol version.
  let seen = 0
  let analysis = controller.sendCommand({name: 'analyze', args: ['B', '5']}, ({line}) => {
    if (line.startsWith('info ') && ++seen === 2) controller.sendCommand({name: 'protocol_version'})
  })
  let stopped = !(await analysis).error

  let score = await send('final_score')
  let history = tracker.state.history.slice(0, 3)
  await tracker.sync({komi: 6.5, boardsize: [9, 9], history})
  let board = await send('showboard')

  await controller.stop()
  console.log(JSON.stringify({
    name, version, protocol, commands: commands.split('\n').length, moves, resigned, analysisLines, variations,
    example: example.slice(0, 200), stopped, score, stones: (board.match(/[XO]/g) || []).length,
    historyLength: history.length, errors
  }, null, 2))
}

main(process.argv.slice(2)).catch(error => {
  console.error(error)
  process.exit(1)
})
