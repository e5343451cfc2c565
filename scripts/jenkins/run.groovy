// Runs the Jenkinsfile with JenkinsPipelineUnit and prints its steps as JSON, in their order.
// Arguments: the Jenkinsfile, and a JSON object with `params`, `codes` (exit code by a part of the
// shell line) and `broken` (a part of the shell line that raises).
import com.lesfurets.jenkins.unit.BasePipelineTest
import groovy.json.JsonOutput
import groovy.json.JsonSlurper

class Run extends BasePipelineTest {
    List<Map> steps = []
    List<String> open = []

    void within(String name, Closure body) {
        open << name
        try {
            body.call()
        } finally {
            open.pop()
        }
    }

    Object shell(Map plan, String script) {
        steps << [step: 'sh', script: script, within: open.collect()]
        if (plan.broken && script.contains(plan.broken)) {
            throw new IllegalStateException('broken')
        }
        return plan.codes.findResult(0) { part, code -> script.contains(part) ? code : null }
    }

    void prepare(Map plan) {
        setUp()
        binding.setVariable('params', plan.params)
        binding.setVariable('scm', [:])
        binding.setVariable('env', [:])
        binding.setVariable('currentBuild', [result: 'SUCCESS'])
        ['disableConcurrentBuilds'].each { name -> helper.registerAllowedMethod(name, []) { name } }
        ['logRotator', 'choice', 'string', 'booleanParam', 'file'].each { name ->
            helper.registerAllowedMethod(name, [Map]) { it + [kind: name] }
        }
        helper.registerAllowedMethod('buildDiscarder', [Object]) { it }
        helper.registerAllowedMethod('cron', [String]) { it }
        ['pipelineTriggers', 'parameters', 'properties'].each { name ->
            helper.registerAllowedMethod(name, [List]) { given ->
                steps << [step: name, given: given.collect { it.toString() }, within: []]
                name
            }
        }
        ['node', 'stage', 'ws'].each { name ->
            helper.registerAllowedMethod(name, [String, Closure]) { value, body -> within("$name $value", body) }
        }
        ['lock', 'timeout'].each { name ->
            helper.registerAllowedMethod(name, [Map, Closure]) { given, body ->
                within("$name ${given.values().join(' ')}", body)
            }
        }
        helper.registerAllowedMethod('withEnv', [List, Closure]) { given, body ->
            steps << [step: 'withEnv', given: given.collect { it.toString() }, within: open.collect()]
            within('withEnv', body)
        }
        helper.registerAllowedMethod('withCredentials', [List, Closure]) { given, body ->
            within('withCredentials ' + given*.credentialsId.join(' '), body)
        }
        helper.registerAllowedMethod('checkout', [Object]) {
            steps << [step: 'checkout', within: open.collect()]
            if (plan.broken == 'checkout') {
                throw new IllegalStateException('broken')
            }
        }
        helper.registerAllowedMethod('checkout', [Map]) {
            steps << [step: 'checkout', within: open.collect()]
            if (plan.broken == 'checkout') {
                throw new IllegalStateException('broken')
            }
        }
        helper.registerAllowedMethod('sh', [String]) { shell(plan, it) }
        helper.registerAllowedMethod('sh', [Map]) { shell(plan, it.script.toString()) }
        helper.registerAllowedMethod('unstable', [String]) { words ->
            steps << [step: 'unstable', given: words.toString(), within: open.collect()]
        }
        helper.registerAllowedMethod('archiveArtifacts', [Map]) { given ->
            steps << [step: 'archiveArtifacts', given: given, within: open.collect()]
        }
    }
}

def plan = [params: [:], codes: [:], broken: ''] + (Map) new JsonSlurper().parseText(args[1])
def run = new Run()
run.prepare(plan)
def failed = ''
try {
    run.loadScript(new File(args[0]).absolutePath).run()
} catch (IllegalStateException problem) {
    failed = problem.message
}
println 'STEPS ' + JsonOutput.toJson([steps: run.steps, failed: failed])
