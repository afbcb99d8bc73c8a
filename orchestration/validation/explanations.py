"""Explanations of the issues for people: the reason and the remedy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Explanation:
    """One issue's page of help. The sentence itself, on an example, is in `examples`."""

    title: str
    why: str
    advice: str


EXPLANATIONS: Mapping[str, Explanation] = {
    "stages-missing": Explanation(
        "Nothing is drawn yet",
        "A conversation is always in some stage. Where there is none, nobody can answer.",
        "Add a stage (key A, or double-click on the canvas), and choose the agent who serves it.",
    ),
    "entry-missing": Explanation(
        "No entry",
        "A conversation begins in the entry. Without one nobody knows who says the first word.",
        "Select nothing, and choose the entry in the pipeline's settings.",
    ),
    "entry-unknown": Explanation(
        "The entry is no stage",
        "The entry names a stage that does not exist, so that no conversation can begin.",
        "Choose another entry in the pipeline's settings.",
    ),
    "stage-duplicate": Explanation(
        "Two stages with one phase",
        "Transitions, rules and the transcript know a stage by its phase. Two of the same name"
        " could not be told apart.",
        "Give each stage a phase of its own.",
    ),
    "stage-agentless": Explanation(
        "A stage that nobody serves",
        "A conversation that comes there would stop: there is nobody to answer.",
        "Choose an agent for the stage, name a new one, make it a group, or let a human serve it.",
    ),
    "stage-agent-unknown": Explanation(
        "A stage served by an agent that does not exist",
        "The stage names an agent that is not part of this pipeline, perhaps because it was"
        " deleted in the file.",
        "Choose another agent for the stage, or add the one that is missing.",
    ),
    "human-stage-agent": Explanation(
        "A human stage with an agent",
        "Where the human answers, no model is asked, so the agent named there would never speak.",
        "Leave the stage to the human, or make it a stage that an agent serves.",
    ),
    "group-stage-agent": Explanation(
        "A group stage with an agent of its own",
        "The members of a group answer together; an agent beside them would never be asked.",
        "Take the agent away, or make it a member of the group.",
    ),
    "group-misplaced": Explanation(
        "A group where none answers",
        "Only a stage of the kind group is served by a group; here it would be ignored.",
        "Make the stage a group, or take the group away.",
    ),
    "group-agent-unknown": Explanation(
        "A member that does not exist",
        "The group names an agent that is not part of this pipeline: it could not answer.",
        "Take the name out of the group, or add the agent.",
    ),
    "group-dependency-unknown": Explanation(
        "Waiting for someone outside the group",
        "A member can only wait for members of the same group: others do not answer here.",
        "Take in who is missing, or let the member wait for members only.",
    ),
    "group-dependency-self": Explanation(
        "A member that waits for itself",
        "It would wait for its own answer, and so never begin.",
        "Take the dependency on itself away.",
    ),
    "group-cycle": Explanation(
        "Members that wait for each other",
        "Each waits for the answer of the next, and round again: none of them can begin.",
        "Take one of the dependencies of the circle away.",
    ),
    "transition-unknown": Explanation(
        "A transition to or from nowhere",
        "It names a stage that does not exist, so that nobody can take it.",
        "Delete the transition, or add the stage.",
    ),
    "transition-duplicate": Explanation(
        "The same way twice",
        "From one stage to another there is one transition: a model that chooses a target would"
        " not know which of the two is meant.",
        "Keep one of them.",
    ),
    "next-duplicate": Explanation(
        "More than one next",
        "A stage has one main way on. With two, a workflow or a group would not know which.",
        "Keep one as next, and make the others returns.",
    ),
    "agent-duplicate": Explanation(
        "Two agents with one id",
        "Stages, rules and handoffs know an agent by its id. Two alike cannot be told apart.",
        "Give each agent an id of its own.",
    ),
    "agent-reserved": Explanation(
        "An agent called human",
        "The id 'human' stands for the person who can take over. An agent of that name could"
        " never be reached.",
        "Give the agent another id.",
    ),
    "response-schema-invalid": Explanation(
        "A schema of answers that is none",
        "Each answer in words is to follow this JSON Schema, and is checked against it. By a wrong"
        " one every turn of the agent would fail.",
        "Correct the schema at the place that the sentence names, or leave it empty: then the"
        " answers are free text.",
    ),
    "tool-duplicate": Explanation(
        "Two tools with one name",
        "A model calls a tool by its name, and has to know which one answers.",
        "Give each tool a name of its own.",
    ),
    "tool-schema-invalid": Explanation(
        "Arguments that no schema describes",
        "A model is told the arguments of a tool by this JSON Schema. Vendors refuse a wrong one,"
        " and every turn that offers the tool with it.",
        "Correct the schema at the place that the sentence names: it describes an object, whose"
        " properties are the arguments.",
    ),
    "tool-unknown": Explanation(
        "A tool that is not defined",
        "The agent may call a tool that this pipeline does not describe: the model would not know"
        " what it does or takes.",
        "Define the tool, or take it from the agent.",
    ),
    "tool-name-clash": Explanation(
        "A tool called like the handoff",
        "The model would have two tools of one name: its own, and the one by which it passes the"
        " conversation on.",
        "Rename the tool, or name the handoff's tool otherwise in the pipeline's settings.",
    ),
    "handoff-name-clash": Explanation(
        "Two handoffs with one name",
        "Two ways on from a stage have tools of the same name, so that a call says nothing about"
        " where it leads.",
        "Give one of them another tool name, or none: then it gets one from its target.",
    ),
    "subtask-unnamed": Explanation(
        "A subtask for no pipeline",
        "A subtask is done by another pipeline. Neither its name nor a hint says which.",
        "Name the pipeline, or give words by which it is found.",
    ),
    "input-schema-invalid": Explanation(
        "A schema that is none",
        "What the target needs to be told is checked against this JSON Schema. A wrong one would"
        " refuse every handoff, or none.",
        "Correct the schema at the place that the sentence names.",
    ),
    "filter-invalid": Explanation(
        "A filter that cannot be asked",
        "The expression says which messages the target is shown. It cannot be read as it is.",
        "Correct the expression at the column named, or choose another filter.",
    ),
    "supervisor-unknown": Explanation(
        "A supervisor that does not exist",
        "The supervisor observes every message. Nobody of that id is part of this pipeline.",
        "Choose another supervisor in the pipeline's settings, or none.",
    ),
    "default-agent-unknown": Explanation(
        "A default agent that does not exist",
        "Where no rule matches, the default agent answers. Nobody of that id is here.",
        "Choose another default agent in the pipeline's settings, or none.",
    ),
    "alias-unknown": Explanation(
        "An alias for nobody",
        "An alias is another name for an agent or the human. This one stands for neither.",
        "Delete the alias, or let it stand for somebody.",
    ),
    "rule-duplicate": Explanation(
        "Two routing rules with one id",
        "The trace says which rule chose an agent. Two of one id cannot be told apart.",
        "Give each rule an id of its own.",
    ),
    "rule-agent-unknown": Explanation(
        "A routing rule for nobody",
        "The rule picks an agent that is not part of this pipeline, and so is passed over.",
        "Choose another agent, or delete the rule.",
    ),
    "rule-phase-unknown": Explanation(
        "A routing rule about a stage that is gone",
        "The rule asks whether the conversation is in a stage that does not exist.",
        "Take the stage out of the rule.",
    ),
    "condition-invalid": Explanation(
        "A condition that cannot be asked",
        "The expression cannot be read, so that the rule is passed over and the failure reported.",
        "Correct the expression at the column named. It is CEL, over event, conversation and"
        " state.",
    ),
    "comparison-invalid": Explanation(
        "A comparison that does not fit",
        "Numbers are compared with numbers, texts with texts, and a list is asked by 'one of'.",
        "Choose another operator, or another value.",
    ),
    "comparison-unknown": Explanation(
        "A comparison with a name that nobody has",
        "The row asks for a stage or an agent that is not here, so that it never holds.",
        "Choose a name of this pipeline.",
    ),
    "team-leaderless": Explanation(
        "A team without a lead",
        "In a team the agent of the entry leads, and delegates to the others. Here is none.",
        "Choose one agent for the entry, or another entry.",
    ),
    "team-worker-human": Explanation(
        "A human that the lead delegates to",
        "The lead waits for the answer of whom it delegates to; a human may take hours.",
        "Choose an agent for the stage, or let the lead ask the user by a tool.",
    ),
    "loop-endless": Explanation(
        "A circle that never ends",
        "These stages follow one another by themselves, without anybody choosing. A run that"
        " comes here would go on for ever.",
        "Take one of the transitions of the circle away.",
    ),
    "stage-unreachable": Explanation(
        "A stage that nothing leads to",
        "No conversation ever comes there: neither from the entry nor by a routing rule.",
        "Connect it from a stage that is reached, add a routing rule, or delete it.",
    ),
    "team-stage-unasked": Explanation(
        "A worker that the lead never asks",
        "In a team only the entry delegates, and it does not lead to this stage.",
        "Draw a transition from the entry to the stage, or delete it.",
    ),
    "transition-unused": Explanation(
        "A transition that is never taken",
        "In this topology nobody takes it: in a workflow only the next is followed, in a team"
        " only the entry delegates, and a group moves on to its next alone.",
        "Make it the next, or delete it.",
    ),
    "loop-closed": Explanation(
        "A loop that nothing leads out of",
        "A conversation in it is passed round and round, and never comes to an end or a human."
        " Loops as such are fine: a reviewer sends work back.",
        "Lead out of the loop from one of its stages.",
    ),
    "dead-end": Explanation(
        "No end can be reached",
        "Every way on leads into a loop that nothing leads out of.",
        "Lead out of the loop, or on to another stage.",
    ),
    "ping-pong": Explanation(
        "Two stages that name each other as next",
        "The main way goes back and forth, though both lead elsewhere too. Models follow the main"
        " way, and so would pass the conversation to and fro until the limit.",
        "Make the way back a return.",
    ),
    "human-unreachable": Explanation(
        "No way to a human",
        "A human answers in this pipeline, but from here no transition leads there, and agents"
        " may not call one.",
        "Draw a way to the human's stage, or let agents call a human in the settings.",
    ),
    "agent-twice": Explanation(
        "One agent in two of the next stages",
        "A handoff names an agent. Where it serves two of the stages that come next, the model"
        " has to name the stage too; if it forgets, the handoff is refused.",
        "Give each stage an agent of its own, or one of the handoffs a schema: then it has a tool"
        " of its own.",
    ),
    "max-handoffs-low": Explanation(
        "Too few handoffs to come to an end",
        "A run ends when it has made its handoffs. Even the shortest way takes more.",
        "Allow more handoffs in the pipeline's settings, or shorten the way.",
    ),
    "agent-idle": Explanation(
        "An agent with nothing to do",
        "It serves no stage, no routing rule names it, and it is no supervisor.",
        "Give it a stage, or delete it.",
    ),
    "prompt-way-missing": Explanation(
        "Instructions that name a target without a way",
        "The instructions tell the agent to hand over to somebody, and no transition leads there."
        " The model would try, and be refused.",
        "Draw the transition, or change the instructions.",
    ),
    "rule-never": Explanation(
        "A routing rule that can never match",
        "Its conditions exclude each other, or leave nothing to choose from.",
        "Correct the conditions, or delete the rule.",
    ),
    "rule-shadowed": Explanation(
        "A routing rule that is hidden by another",
        "Rules are asked in order, and the first that matches decides. One before this matches"
        " whenever this would.",
        "Put this rule first, let the other ask for more, or delete it.",
    ),
    "rule-unused": Explanation(
        "Routing where every message begins at the entry",
        "In a workflow and in a team nobody is routed to, so the rule is never asked.",
        "Delete the rule, or choose another topology.",
    ),
    "default-agent-unused": Explanation(
        "A default agent that is never asked",
        "In a workflow and in a team every message begins at the entry.",
        "Choose no default agent, or another topology.",
    ),
    "handoff-setting-unused": Explanation(
        "A setting of a handoff that nobody uses",
        "A schema, a tool's name or a filter matters only where a model hands over by a tool.",
        "Take the setting away, or make the transition one that it applies to.",
    ),
    "http-address-wrong": Explanation(
        "A request that goes nowhere",
        "A tool that an HTTP API answers needs an address. What a model writes may fill its path"
        " and its query, and never choose the host.",
        "Write the address out (https://shop.example/orders/{order}), or name a connection.",
    ),
    "http-argument-unknown": Explanation(
        "A place for an argument that there is not",
        "The model is told the arguments by their schema: one that is not there is never given.",
        "Add it to the schema of the arguments, or correct its name in the request.",
    ),
    "http-header-wrong": Explanation(
        "A header that no tool may send",
        "Some headers say how a request is sent, such as Host and Content-Length; others have a"
        " name that no header can have.",
        "Take the header away.",
    ),
    "mcp-server-missing": Explanation(
        "A tool of no MCP server",
        "It does not say which server has it, so that its calls would fail.",
        "Name a connection of the kind MCP server in the tool's form.",
    ),
    "http-key-shown": Explanation(
        "A key in a definition",
        "A definition is seen by everybody who sees the pipeline, and goes along in every export.",
        "Put the key into a connection, and name that in the tool's form.",
    ),
    "http-argument-unused": Explanation(
        "An argument that the API never hears of",
        "The model fills it in, and the request has no place for it.",
        "Give it a place in the address or the body ({order}), or take it out of the schema.",
    ),
    "tool-setting-unused": Explanation(
        "A pipeline for a tool that is no subtask",
        "Only a subtask is done by another pipeline; here the name is ignored.",
        "Make the tool a subtask, or take the name away.",
    ),
    "stand-in-without-examples": Explanation(
        "No example to stand in",
        "The tool is to answer from its examples and has none, so every call of it fails.",
        "Give it examples, or let the tool itself answer.",
    ),
    "approval-unused": Explanation(
        "An approval that nobody gives",
        "A question goes to the user as it is: nobody is asked before.",
        "Take the approval away, or have something else answer the tool.",
    ),
    "cue-never": Explanation(
        "A cue that never plays",
        "It waits for what cannot happen: a handoff from nobody, or a stage that is not its"
        " agent's.",
        "Correct what the cue waits for, or delete it. Cues matter in offline rehearsals only.",
    ),
    "cue-tool-unknown": Explanation(
        "A cue that calls a tool its agent does not have",
        "The scripted agent would call it, and be told that there is none.",
        "Give the agent the tool, or change the cue.",
    ),
    "cue-target-unknown": Explanation(
        "A cue that hands over to nobody",
        "Its target is neither an agent nor an alias nor a stage.",
        "Choose another target, or delete the cue.",
    ),
    "cue-way-missing": Explanation(
        "A cue that hands over without a way",
        "No transition leads there, so that the handoff would be refused in the rehearsal.",
        "Draw the transition, or change the cue.",
    ),
}
"""By the code of the issue."""
