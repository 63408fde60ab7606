(function(){
var d=document,all=function(s){return Array.prototype.slice.call(d.querySelectorAll(s))};
var tools=d.getElementById("tools"),find=d.getElementById("find"),fold=d.getElementById("fold"),none=d.getElementById("none");
if(tools){
tools.hidden=false;
find.addEventListener("input",function(){
var words=find.value.toLowerCase().split(/\s+/).filter(Boolean),seen=0;
all("details.task").forEach(function(t){
var text=t.querySelector("summary").textContent.toLowerCase();
t.hidden=!words.every(function(w){return text.indexOf(w)>=0});
if(!t.hidden)seen++;
});
none.hidden=seen>0;
});
fold.addEventListener("click",function(){
var open=all("details.task[open]").length===0;
all("details.task").forEach(function(t){t.open=open});
fold.textContent=open?"Fold all":"Unfold all";
});
}
var shut=[];
addEventListener("beforeprint",function(){shut=all("details:not([open])");shut.forEach(function(t){t.open=true})});
addEventListener("afterprint",function(){shut.forEach(function(t){t.open=false});shut=[]});
var target=function(){var t=location.hash&&d.getElementById(location.hash.slice(1));if(t&&t.tagName==="DETAILS")t.open=true};
addEventListener("hashchange",target);target();
})();
